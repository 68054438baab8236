package discord_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"errand/internal/core"
	platform "errand/internal/test/sim/discord"
)

// TestFirstMessageWhileAway proves that a person's very first direct message, which
// came while no process ran and which no session is told of, is taken in if errand
// knows the person, and only then.
func TestFirstMessageWhileAway(t *testing.T) {
	r := newRig(t)
	bob, eve := r.server.AddPerson(platform.Person{Name: "Bob"}), r.server.AddPerson(platform.Person{Name: "Eve"})
	r.people = func(ctx context.Context) ([]string, error) {
		return r.NumbersOf(ctx, core.Account{Channel: "discord", Name: "main"})
	}
	if _, err := r.Store.EnsurePerson(t.Context(), "p-bob", "Bob", core.Member); err != nil {
		t.Fatal(err)
	}
	// He is known on another account, or was linked.
	for _, id := range []string{bob.ID, "999999999999999999", "no number"} {
		if err := r.Store.AddIdentity(t.Context(), core.Identity{Channel: "discord", Account: "second", ExternalID: id, Person: "p-bob"}); err != nil {
			t.Fatal(err)
		}
	}
	stop := r.start()
	r.connected()
	r.server.Write(r.dm, r.ana, "hello")
	r.Until("the first has come", func() bool { return len(r.Arrivals()) == 1 })
	stop()
	r.server.Write(r.server.DM(bob, r.bot), bob, "are you there?")
	r.server.Write(r.server.DM(bob, r.bot), bob, "hello?")
	r.server.Write(r.server.DM(eve, r.bot), eve, "and for me?")
	r.start()
	r.connected()
	r.Until("his have come", func() bool { return len(r.Arrivals()) >= 3 })
	r.server.Write(r.dm, r.ana, "that is all")
	r.Until("all has come", func() bool { return slices.Contains(r.Inbox(r.route(r.dm)), "that is all") })
	if got := r.Inbox(r.route(r.server.DM(bob, r.bot))); !slices.Equal(got, []string{"are you there?", "hello?"}) {
		t.Errorf("of Bob there is to answer %q", got)
	}
	if got := r.Inbox(r.route(r.server.DM(eve, r.bot))); len(got) != 0 {
		t.Errorf("of somebody unknown there is %q: say so in docs/channels.md then", got)
	}
	if in := r.Outcomes()[1]; in.Person != "p-bob" {
		t.Errorf("Bob is received as %+v", in)
	}
}

// TestFirstMessagesNotToBeFound proves that the connection stands when nobody can
// say who may have written.
func TestFirstMessagesNotToBeFound(t *testing.T) {
	r := newRig(t)
	r.people = func(context.Context) ([]string, error) { return nil, errors.New("the disk is full") }
	stop := r.start()
	r.connected()
	r.server.Write(r.dm, r.ana, "hello")
	r.Until("the first has come", func() bool { return len(r.Arrivals()) == 1 })
	stop()
	r.server.Write(r.dm, r.ana, "are you there?")
	r.start()
	r.Until("the second has come", func() bool { return len(r.Arrivals()) == 2 })
	r.Until("it is said", func() bool { return r.Logged("they have to write again") == 1 })
}
