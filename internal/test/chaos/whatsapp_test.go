package chaos

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"errand/api"
	"errand/internal/test/sim/whatsapp"
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
		var list []api.Connection
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
	return s.ours(s.people[person].Hears(s.phone.JID()))
}

func (s *whatsappStage) files(person int) (files []sentFile) {
	for _, l := range s.people[person].Hears(s.phone.JID()) {
		if l.By == s.phone.Name && l.Kind == "document" {
			files = append(files, sentFile{name: l.Name, text: l.Text})
		}
	}
	return files
}

func (s *whatsappStage) ours(lines []whatsapp.Line) (texts []string) {
	for _, l := range lines {
		if l.By == s.phone.Name {
			texts = append(texts, l.Text)
		}
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
	case diesBeforeReceipt:
		return send(whatsapp.Fault{Kind: whatsapp.DropBefore})
	case diesAfterReceipt:
		return send(whatsapp.Fault{Kind: whatsapp.DropAfter})
	}
	return nil, false
}

func (s *whatsappStage) words() int { return 28_000 } // of 65,536 characters a message

// repeats returns how often the parts of an answer came again under their ids, which
// a phone does not show.
func (s *whatsappStage) repeats(person int, answer string) (times []int) {
	for _, l := range s.people[person].Hears(s.phone.JID()) {
		if strings.HasPrefix(l.Text, answer+"0") {
			times = append(times, l.Repeated)
		}
	}
	return times
}

func (s *whatsappStage) breakOff(acknowledged int, received bool, met func()) {
	kind := whatsapp.DropBefore
	if received {
		kind = whatsapp.DropAfter
	}
	s.phone.Order(append(make([]whatsapp.Fault, acknowledged), whatsapp.Fault{Kind: kind, Met: met})...)
}

// gatherings are groups only of people who have a private chat: on WhatsApp everybody
// with a number has.
func (s *whatsappStage) gatherings(t *testing.T) []*gathering {
	ben := s.people[1]
	chat := func(how string, end func(*whatsapp.Group)) *gathering {
		g := s.AddGroup("Team", ben, s.people[0], s.phone.Person)
		return &gathering{how: how, by: 1, chat: g.JID.String(),
			write: func(text string) {
				if _, err := ben.Mention(t.Context(), g.JID, "@"+s.phone.LID().User+" "+text, s.phone.Person); err != nil {
					t.Error(err)
				}
			},
			reads: func() []string { return s.ours(ben.Hears(g.JID)) }, end: func() { end(g) }}
	}
	return []*gathering{chat("the account is removed from the group", func(g *whatsapp.Group) { g.Kick(s.phone.Person) }), chat("the group is dissolved", (*whatsapp.Group).Dissolve)}
}
