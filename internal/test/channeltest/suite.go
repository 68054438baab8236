package channeltest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"errand/internal/channels"
	"errand/internal/service"
)

// A Platform is what stands for a real platform, with Ana on it and an account of
// ours, as the suite drives it. What else it can do are the interfaces below.
type Platform interface {
	// Channel is its name, as in routes.
	Channel() string
	// Connect runs the channel of our account, as a process does, and returns what
	// ends it: which waits until it has ended, and may be called again.
	Connect(t *testing.T, e *Errand) (stop func())
	// Connected reports whether the platform has a connection of ours.
	Connected() bool
	// Direct is the chat of Ana with us.
	Direct() string
	// Write is somebody writing in a chat; it returns the id of the message.
	Write(chat string, who Who, text string) string
	// Secrets are what must not be logged.
	Secrets() []string
}

// A Who writes on a platform.
type Who int

// Who writes.
const (
	Ana   Who = iota
	Robot     // a bot of somebody else's
)

// What a platform may have, too.
type (
	// A Grouper has chats of several people. Named is a text that says that it is
	// for us.
	Grouper interface {
		Group() string
		Addressed(text string) string
	}
	// An Editor lets people change what they wrote.
	Editor interface{ Edit(chat, id, text string) }
	// A Deleter lets people take back what they wrote, and says so.
	Deleter interface{ Delete(chat, id string) }
	// A Replier lets people reply.
	Replier interface {
		Reply(chat string, who Who, to, text string) string
	}
	// A Disturber delivers what is written while do runs in another order, and some
	// of it twice.
	Disturber interface{ Disturb(do func()) }
	// A Breaker breaks the connection; what it returns lets it be made again.
	Breaker interface{ Break() (mend func()) }
	// A Revoker makes our account's token, or link, worthless.
	Revoker interface{ Revoke() }
)

// Run holds a channel against its promises. open returns a fresh platform.
func Run(t *testing.T, open func(t *testing.T) Platform) {
	for name, promise := range promises {
		t.Run(name, func(t *testing.T) {
			p := open(t)
			s := &suite{T: t, Platform: p, Errand: New(t, p.Channel(), service.AccessOpen), stop: func() {}}
			promise(s)
			s.stop()
			for _, secret := range p.Secrets() {
				if strings.Contains(s.Log(), secret) {
					t.Error("the log has a secret")
				}
			}
			s.Until("it has ended and is not connected any more", func() bool { return !p.Connected() })
		})
	}
}

type suite struct {
	*testing.T
	Platform
	*Errand
	stop func()
}

// start runs the channel until the test ends, or stop.
func (s *suite) start() {
	s.Helper()
	s.Changed(channels.Status{State: channels.Connecting})
	s.stop = s.Platform.Connect(s.T, s.Errand)
	s.Cleanup(s.stop)
}

func (s *suite) connected() {
	s.Helper()
	s.Until("it is connected", func() bool { return s.Errand.Status().State == channels.Connected && s.Platform.Connected() })
}

// write is Ana writing to us; it returns what she wrote.
func (s *suite) write(n int) (texts []string) {
	for i := range n {
		texts = append(texts, fmt.Sprint("message ", i))
		s.Write(s.Direct(), Ana, texts[i])
	}
	return texts
}

func (s *suite) inbox(chat string) []string {
	s.Helper()
	for _, in := range s.Arrivals() {
		if in.Route.Chat == chat {
			return s.Errand.Inbox(in.Route)
		}
	}
	return nil
}

// settled waits until Ana's chat has all that was written: what she writes last
// is the last.
func (s *suite) settled() {
	s.Helper()
	s.Write(s.Direct(), Ana, "that is all")
	s.Until("all has come in", func() bool { return slices.Contains(s.inbox(s.Direct()), "that is all") })
}

// wants compares the inbox of Ana's chat.
func (s *suite) wants(want ...string) {
	s.Helper()
	if got := s.inbox(s.Direct()); !slices.Equal(got, append(slices.Clone(want), "that is all")) {
		s.Errorf("there is to answer %q, want %q", got, want)
	}
}

var errFull = errors.New("the disk is full")

var promises = map[string]func(*suite){
	"who is known on one account is known on all":               knownOnAllAccounts,
	"what was written before being let in is answered after it": answeredOnceLetIn,
	"what is written arrives, once and in order": func(s *suite) {
		s.start()
		s.connected()
		want := s.write(100)
		s.settled()
		s.wants(want...)
		in := s.Arrivals()[0]
		if in.Route.Channel != s.Channel() || in.Route.Account != "main" || in.Route.Chat != s.Direct() || in.Group || in.MessageID == "" ||
			in.Sender.Name != "Ana" || len(in.Sender.IDs) == 0 || slices.Contains(in.Sender.IDs, "Ana") || in.Sender.Bot {
			s.Errorf("came %+v", in)
		}
	},
	"what was written while errand was away comes in": func(s *suite) {
		s.start()
		s.connected()
		s.Write(s.Direct(), Ana, "hello")
		s.Until("the first has come", func() bool { return len(s.inbox(s.Direct())) == 1 })
		s.stop()
		want := s.write(3)
		s.start()
		s.settled()
		s.wants(append([]string{"hello"}, want...)...)
	},
	"nothing is acknowledged that was not committed": func(s *suite) {
		s.start()
		s.connected()
		s.Fail(errFull)
		want := s.write(3)
		s.Until("it tries again", func() bool { return s.Attempts() > 2 })
		s.Until("it is seen", func() bool {
			now := s.Errand.Status()
			return now.State == channels.Degraded && strings.Contains(now.Detail, errFull.Error())
		})
		if got := s.Arrivals(); len(got) > 0 {
			s.Errorf("came %+v", got)
		}
		s.Fail(nil)
		s.settled()
		s.connected()
		s.wants(want...)
		if n := s.Logged(`msg="not connected"`); n > 1 {
			s.Errorf("it is said %d times", n)
		}
	},
	"what could not be committed before the process died comes in after": func(s *suite) {
		s.start()
		s.connected()
		s.Write(s.Direct(), Ana, "hello")
		s.Until("the first has come", func() bool { return len(s.inbox(s.Direct())) == 1 })
		s.Fail(errFull)
		want := s.write(3)
		s.Until("it tries", func() bool { return s.Attempts() > 1 })
		s.stop()
		s.Fail(nil)
		s.start()
		s.settled()
		s.wants(append([]string{"hello"}, want...)...)
	},
	"what was committed when the process died is taken once": func(s *suite) {
		s.start()
		s.connected()
		died, stop := make(chan struct{}), s.stop
		s.After(func() { go func() { defer close(died); stop() }() })
		s.Write(s.Direct(), Ana, "hello")
		s.Until("it was committed", func() bool { return len(s.Arrivals()) == 1 })
		<-died
		s.start()
		s.settled()
		s.wants("hello")
	},
	"what is delivered twice and in disorder is taken once": func(s *suite) {
		d, ok := s.Platform.(Disturber)
		if !ok {
			s.Skip("the platform cannot")
		}
		s.start()
		s.connected()
		var want []string
		d.Disturb(func() { want = s.write(20) })
		s.settled()
		got := s.inbox(s.Direct())
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, append(want, "that is all")) {
			s.Errorf("there is to answer %q, want %q", got, want)
		}
	},
	"in a group only what is for us": func(s *suite) {
		g, ok := s.Platform.(Grouper)
		if !ok {
			s.Skip("the platform has none")
		}
		s.start()
		s.connected()
		s.Write(g.Group(), Ana, "lunch?")
		s.Write(g.Group(), Ana, g.Addressed("what time is it?"))
		s.Write(g.Group(), Robot, g.Addressed("buy now"))
		s.Write(g.Group(), Ana, g.Addressed("thank you"))
		s.Until("it has come", func() bool { return slices.Contains(s.inbox(g.Group()), "thank you") })
		if got := s.inbox(g.Group()); !slices.Equal(got, []string{"what time is it?", "thank you"}) || !s.Arrivals()[0].Group {
			s.Errorf("there is to answer %q, of %+v", got, s.Arrivals())
		}
		s.settledAnywhere()
	},
	"an edit of what was said to us need not say so again": func(s *suite) {
		g, inGroups := s.Platform.(Grouper)
		e, ok := s.Platform.(Editor)
		if !ok || !inGroups || s.Channel() == "whatsapp" {
			s.Skip("the platform has none")
		}
		s.start()
		s.connected()
		other := s.Write(g.Group(), Ana, "lunch?")
		id := s.Write(g.Group(), Ana, g.Addressed("cancel it all"))
		s.Until("it has come", func() bool { return len(s.inbox(g.Group())) == 1 })
		e.Edit(g.Group(), other, "lunch at one?")
		e.Edit(g.Group(), id, "never mind")
		e.Edit(g.Group(), id, "never mind!")
		s.Write(g.Group(), Ana, g.Addressed("thank you"))
		s.Until("all has come", func() bool { return slices.Contains(s.inbox(g.Group()), "thank you") })
		if got, want := s.inbox(g.Group()), []string{"cancel it all", "never mind", "never mind!", "thank you"}; !slices.Equal(got, want) {
			s.Errorf("there is to answer %q, want %q", got, want)
		}
	},
	"a bot is never answered": func(s *suite) {
		s.start()
		s.connected()
		s.Write(s.Direct(), Robot, "hello, bot")
		s.settled()
		s.wants()
	},
	"what was edited is an edit": func(s *suite) {
		e, ok := s.Platform.(Editor)
		if !ok {
			s.Skip("the platform has none")
		}
		s.start()
		s.connected()
		id := s.Write(s.Direct(), Ana, "helo")
		s.Until("it has come", func() bool { return len(s.Arrivals()) == 1 })
		e.Edit(s.Direct(), id, "hello")
		s.Until("the edit has come", func() bool { return len(s.Arrivals()) == 2 })
		before, now := s.Arrivals()[0], s.Arrivals()[1]
		if now.MessageID != before.MessageID || now.Revision <= before.Revision || now.Text != "hello" {
			s.Errorf("came %+v", now)
		}
	},
	"what was taken back is said": func(s *suite) {
		d, ok := s.Platform.(Deleter)
		if !ok {
			s.Skip("the platform does not tell")
		}
		s.start()
		s.connected()
		id := s.Write(s.Direct(), Ana, "hello")
		s.Until("it has come", func() bool { return len(s.Arrivals()) == 1 })
		d.Delete(s.Direct(), id)
		s.Until("that it is gone has come", func() bool { return len(s.Arrivals()) == 2 })
		before, now := s.Arrivals()[0], s.Arrivals()[1]
		if !now.Deleted || now.MessageID != before.MessageID || now.Route != before.Route || !slices.Equal(now.Sender.IDs, before.Sender.IDs) {
			s.Errorf("came %+v", now)
		}
	},
	"a reply says to what": func(s *suite) {
		r, ok := s.Platform.(Replier)
		if !ok {
			s.Skip("the platform has none")
		}
		s.start()
		s.connected()
		id := s.Write(s.Direct(), Ana, "which train?")
		r.Reply(s.Direct(), Ana, id, "the late one")
		s.Until("both have come", func() bool { return len(s.Arrivals()) == 2 })
		if first, second := s.Arrivals()[0], s.Arrivals()[1]; second.ReplyTo != first.MessageID {
			s.Errorf("came %+v", second)
		}
	},
	"a connection that breaks is said once, and made again": func(s *suite) {
		b, ok := s.Platform.(Breaker)
		if !ok {
			s.Skip("the platform cannot")
		}
		s.start()
		s.connected()
		s.Write(s.Direct(), Ana, "before")
		s.Until("it has come", func() bool { return len(s.Arrivals()) == 1 })
		mend := b.Break()
		s.Until("it is seen", func() bool { return s.Errand.Status().State == channels.Degraded })
		s.Write(s.Direct(), Ana, "meanwhile")
		mend()
		s.connected()
		s.settled()
		s.wants("before", "meanwhile")
		if lost, back := s.Logged(`msg="not connected"`), s.Logged(`msg="connected again"`); lost != 1 || back != 1 {
			s.Errorf("it is said %d times that it broke, and %d times that it is well:\n%s", lost, back, s.Log())
		}
	},
	"an account that is locked out says what to do": func(s *suite) {
		r, ok := s.Platform.(Revoker)
		if !ok {
			s.Skip("the platform cannot")
		}
		s.start()
		s.connected()
		r.Revoke()
		s.Until("it is seen", func() bool { return s.Errand.Status().State == channels.LoggedOut })
		if s.Errand.Status().Advice == "" {
			s.Error("nobody is told what to do")
		}
		if n := s.Logged(`msg="not connected"`); n != 1 {
			s.Errorf("it is said %d times", n)
		}
	},
}

func (s *suite) settledAnywhere() {
	s.Helper()
	s.settled()
	for _, in := range s.Arrivals() {
		if in.Sender.Bot {
			s.Errorf("came %+v", in)
		}
	}
}
