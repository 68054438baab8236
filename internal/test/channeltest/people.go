package channeltest

import (
	"errand/internal/core"
	"errand/internal/service"
)

func (s *suite) asking() {
	s.Helper()
	s.Errand = New(s.T, s.Channel(), service.AccessPairing)
	s.start()
	s.connected()
}

// letIn approves the code that Ana was told with her latest message.
func (s *suite) letIn(code string) core.PersonID {
	s.Helper()
	ctx := s.Context()
	if _, err := s.Store.EnsurePerson(ctx, "owner", "Owner", core.MasterAdmin); err != nil {
		s.Fatal(err)
	}
	by, err := s.Logins.ActorOf(ctx, "owner")
	if err != nil {
		s.Fatal(err)
	}
	_, p, err := s.Approve(ctx, by, code, core.Member, "")
	if err != nil {
		s.Fatal(err)
	}
	return p.ID
}

// knownOnAllAccounts: what the platform tells of a sender is the same on each of
// our accounts, so who was let in on another is known on this one.
func knownOnAllAccounts(s *suite) {
	s.asking()
	s.Write(s.Direct(), Ana, "hello")
	s.Until("it has come", func() bool { return len(s.Arrivals()) == 1 })
	if out := s.Outcomes()[0]; out.Person != "" || out.Code == "" {
		s.Fatalf("a stranger is received as %+v", out)
	}
	elsewhere := s.Arrivals()[0]
	elsewhere.Route.Account, elsewhere.Text = "second", "and hello"
	out, err := s.House.Receive(s.Context(), elsewhere)
	if err != nil || out.Code == "" {
		s.Fatalf("on another account: %+v, %v", out, err)
	}
	ana := s.letIn(out.Code)
	s.Write(s.Direct(), Ana, "who am I?")
	s.Until("it has come", func() bool { return len(s.Arrivals()) == 2 })
	if out := s.Outcomes()[1]; out.Person != ana || out.Refused != "" {
		s.Errorf("who was let in on another account is received as %+v", out)
	}
	waiting, err := s.Store.Pairings(s.Context(), true)
	if err != nil || len(waiting) != 0 {
		s.Errorf("somebody who is known waits: %+v, %v", waiting, err)
	}
	s.settled()
	s.wants("hello", "who am I?")
}

// answeredOnceLetIn: what somebody writes before they are let in waits for that,
// as they corrected it, and nothing that they took back.
func answeredOnceLetIn(s *suite) {
	s.asking()
	s.Write(s.Direct(), Ana, "hello")
	id := s.Write(s.Direct(), Ana, "which trians go to Oslo?")
	s.Until("it has come", func() bool { return len(s.Arrivals()) == 2 })
	want := []string{"hello", "which trians go to Oslo?"}
	if e, ok := s.Platform.(Editor); ok {
		e.Edit(s.Direct(), id, "which trains go to Oslo?")
		s.Until("the edit has come", func() bool { return len(s.Arrivals()) == 3 })
		want[1] = "which trains go to Oslo?"
	}
	if d, ok := s.Platform.(Deleter); ok {
		n := len(s.Arrivals())
		gone := s.Write(s.Direct(), Ana, "and what does she earn?")
		s.Until("it has come", func() bool { return len(s.Arrivals()) == n+1 })
		d.Delete(s.Direct(), gone)
		s.Until("that it is gone has come", func() bool { return len(s.Arrivals()) == n+2 })
	}
	s.letIn(s.Outcomes()[0].Code)
	s.settled()
	s.wants(want...)
}
