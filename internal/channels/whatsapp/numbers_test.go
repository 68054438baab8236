package whatsapp_test

import (
	"context"
	"errors"
	"testing"

	"errand/internal/channels/whatsapp"
	"errand/internal/core"
	"errand/internal/service"
	platform "errand/internal/test/sim/whatsapp"
)

// TestListedNumberShownByLID proves that somebody whose number is on the list, or was
// linked to a person, is known when WhatsApp shows their LID alone, although errand
// has never seen their number; and that nobody else gets in by that.
func TestListedNumberShownByLID(t *testing.T) {
	r := newRig(t, service.AccessAllowlist)
	r.options = func(o *whatsapp.Options) {
		o.Numbers = func(ctx context.Context) ([]string, error) {
			return r.gate.NumbersOf(ctx, core.Account{Channel: "whatsapp", Name: "main"})
		}
	}
	eve := r.person("Eve", "+491717777777")
	r.ana.ShowAs(platform.ByLIDOnly)
	eve.ShowAs(platform.ByLIDOnly)
	r.connect()
	r.write(r.ana, r.account.JID(), "hello, it is me")
	r.write(eve, r.account.JID(), "and me")
	r.accepted(2)
	if in := r.gate.Outcomes()[0]; in.Refused != "" || in.Person == "" {
		t.Errorf("who is listed by number is received as %+v, of %v", in, r.gate.Arrivals()[0].Sender.IDs)
	}
	if in := r.gate.Outcomes()[1]; in.Refused == "" {
		t.Errorf("who is not listed is received as %+v", in)
	}
	if got := r.inbox(anasChat, r.gate.Outcomes()[0].Person); len(got) != 1 {
		t.Errorf("in her chat there is to answer %q", got)
	}
}

// TestLinkedNumberShownByLID proves the same of a number that was linked to a person
// while errand runs.
func TestLinkedNumberShownByLID(t *testing.T) {
	r := newRig(t, service.AccessPairing)
	r.options = func(o *whatsapp.Options) {
		o.Numbers = func(ctx context.Context) ([]string, error) {
			return r.gate.NumbersOf(ctx, core.Account{Channel: "whatsapp", Name: "main"})
		}
	}
	r.ana.ShowAs(platform.ByLIDOnly)
	r.connect()
	if _, err := r.gate.Store.EnsurePerson(t.Context(), "p-ana", "Ana", core.Member); err != nil {
		t.Fatal(err)
	}
	if err := r.gate.Store.AddIdentity(t.Context(), core.Identity{Channel: "whatsapp", ExternalID: "491711234567", Person: "p-ana"}); err != nil {
		t.Fatal(err)
	}
	r.write(r.ana, r.account.JID(), "hello")
	r.accepted(1)
	if in := r.gate.Outcomes()[0]; in.Person != "p-ana" {
		t.Errorf("who was linked by number is received as %+v, of %v", in, r.gate.Arrivals()[0].Sender.IDs)
	}
}

// TestNumbersNotToBeHad proves that a message is taken as it is, and once, when the
// numbers cannot be asked about.
func TestNumbersNotToBeHad(t *testing.T) {
	r := newRig(t, service.AccessPairing)
	asked := 0
	r.options = func(o *whatsapp.Options) {
		o.Numbers = func(context.Context) ([]string, error) { asked++; return nil, errors.New("the disk is full") }
	}
	r.ana.ShowAs(platform.ByLIDOnly)
	r.connect()
	for range 3 {
		r.write(r.ana, r.account.JID(), "hello")
	}
	r.accepted(3)
	if r.gate.Outcomes()[0].Code == "" || asked != 1 {
		t.Errorf("a stranger is received as %+v, and it was asked %d times", r.gate.Outcomes()[0], asked)
	}
}
