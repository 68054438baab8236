//go:build !nowhatsapp

package app_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"errand/internal/core"
	platform "errand/internal/test/sim/whatsapp"
)

// TestButtonsOnWhatsApp is answersOnPlatform where errand has no buttons: a question ends in
// a list of its answers, and who replies to it with a number chooses one.
func TestButtonsOnWhatsApp(t *testing.T) {
	t.Parallel()
	server, phone, account := newWhatsApp(t)
	var numbers atomic.Int64
	person := func(name string) *platform.Person {
		t.Helper()
		p, err := server.AddPerson(name, fmt.Sprint("+49171123456", numbers.Add(1)))
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	in, _ := play(t, nil, account)
	chat := func(group *platform.Group, people map[string]*platform.Person, first string) simChat {
		jid := phone.JID()
		if group != nil {
			jid = group.JID
		}
		lines := func() (list []simLine) {
			for _, l := range people[first].Hears(jid) {
				if l.By == "Errand" {
					list = append(list, simLine{l.ID, l.Text, nil})
				}
			}
			return list
		}
		write := func(by, replyTo, text string) {
			var err error
			switch {
			case replyTo != "":
				eventually(t, "it is on the phone of "+by, func() bool {
					_, err = people[by].Reply(t.Context(), jid, replyTo, text)
					return err == nil
				})
			case group != nil:
				_, err = people[by].Mention(t.Context(), jid, "@"+phone.LID().User+" "+text, phone.Person)
			default:
				_, err = people[by].Write(t.Context(), jid, text)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return simChat{
			person: first, write: write, lines: lines,
			press: func(by, id, label string) func() bool {
				for _, l := range lines() {
					if l.id != id {
						continue
					}
					number := 0
					for line := range strings.SplitSeq(l.text, "\n") {
						if head, _, ok := strings.Cut(line, ". "); ok && head == strconv.Itoa(number+1) {
							number++
							if strings.HasPrefix(line, strconv.Itoa(number)+". "+core.Cut(label, 6)[:5]) {
								write(by, id, strconv.Itoa(number))
								return func() bool { return true }
							}
						}
					}
				}
				return nil
			},
		}
	}
	answersOnPlatform(t, in, simPlatform{
		private: func(name string) simChat {
			return chat(nil, map[string]*platform.Person{name: person(name)}, name)
		},
		group: func(names ...string) simChat {
			people, members := map[string]*platform.Person{}, []*platform.Person{phone.Person}
			for _, name := range names {
				people[name] = person(name)
				members = append(members, people[name])
			}
			return chat(server.AddGroup("Team", members...), people, names[0])
		},
	})
}
