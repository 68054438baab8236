package chaos

import (
	"context"
	"fmt"
	"testing"

	"errand/internal/gateway"
	"errand/internal/sim/whatsapp"
)

type whatsappStage struct {
	*whatsapp.Server
	phone  *whatsapp.Account
	people [people]*whatsapp.Person
}

func onWhatsApp(t *testing.T) stage {
	server, err := whatsapp.New(whatsapp.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	s := &whatsappStage{Server: server}
	if s.phone, err = server.AddAccount("Errand", "+4930100"); err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		if s.people[i], err = server.AddPerson(name, fmt.Sprintf("+4917112345%d", i)); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func (s *whatsappStage) config() (string, []string) {
	return fmt.Sprintf("  whatsapp: [{account: main, access: open, role: member, reactions: false, url: %q}]\n", s.URL()), nil
}

func (s *whatsappStage) certain() bool { return true }

// prepare links the account, as a person does with their phone.
func (s *whatsappStage) prepare(ctx context.Context, w *world) {
	for {
		var list []gateway.ConnectionView
		if w.get(ctx, "/connections", &list) == nil && len(list) > 0 && list[0].Link != "" && s.phone.Scan(ctx, list[0].Link) == nil {
			return
		}
		if !w.pause(ctx) {
			w.t.Fatalf("the account was never linked; log:\n%s", w.logs())
		}
	}
}

func (s *whatsappStage) write(t *testing.T, person int, text string) {
	if _, err := s.people[person].Write(t.Context(), s.phone.JID(), text); err != nil {
		t.Error(err)
	}
}

func (s *whatsappStage) reads(person int) []string {
	var texts []string
	for _, l := range s.people[person].Hears(s.phone.JID()) {
		texts = append(texts, l.Text)
	}
	return texts
}

func (s *whatsappStage) meet(f fault) (func(), bool) {
	send := func(f whatsapp.Fault) (func(), bool) {
		s.phone.Order(f)
		return nil, true
	}
	switch f {
	case dropped:
		s.phone.Drop()
		return nil, true
	case away:
		return s.Unreachable(), true
	case twice:
		s.phone.Twice(10)
		return nil, true
	case disordered, held:
		release := s.phone.Hold()
		return func() {
			if f == disordered {
				s.phone.Shuffle()
			}
			release()
		}, true
	case slowDown:
		return send(whatsapp.Fault{Kind: whatsapp.Refuse, Code: whatsapp.RateLimited})
	case diesUntaken:
		return send(whatsapp.Fault{Kind: whatsapp.DropBefore})
	case diesTaken:
		return send(whatsapp.Fault{Kind: whatsapp.DropAfter})
	}
	return nil, false
}
