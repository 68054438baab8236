package app_test

import (
	"strings"
	"testing"

	"errand/internal/core"
	platform "errand/internal/test/sim/discord"
)

// TestButtonsOnDiscord is answersOnPlatform with the components of Discord.
func TestButtonsOnDiscord(t *testing.T) {
	t.Parallel()
	server, bot, account := newDiscord(t)
	in, _ := play(t, nil, account)
	eventually(t, "it is connected", func() bool { return server.Connected(bot) })
	chat := func(c *platform.Channel, people map[string]*platform.Person, person, address string) simChat {
		return simChat{
			person: person,
			write: func(by, replyTo, text string) {
				server.Post(c, people[by], platform.Post{Text: address + text, ReplyTo: replyTo})
			},
			press: func(by, id, label string) func() bool {
				i := server.Press(c, people[by], id, core.Cut(label, 80))
				if i == nil {
					return nil
				}
				return func() bool { return server.Answer(i).Type != 0 }
			},
			lines: func() (list []simLine) {
				for _, l := range server.Lines(c) { // without what keeps characters from being marks
					list = append(list, simLine{l.ID, strings.ReplaceAll(l.Text, `\`, ""), l.Buttons})
				}
				return list
			},
		}
	}
	answersOnPlatform(t, in, simPlatform{clears: true,
		private: func(name string) simChat {
			p := server.AddPerson(platform.Person{Name: name})
			server.AddGuild("Friends of "+name, p, bot) // who shares none with it reads nothing of it
			return chat(server.DM(p, bot), map[string]*platform.Person{name: p}, name, "")
		},
		group: func(names ...string) simChat {
			people, members := map[string]*platform.Person{}, []platform.Account{bot}
			for _, name := range names {
				people[name] = server.AddPerson(platform.Person{Name: name})
				members = append(members, people[name])
			}
			return chat(server.General(server.AddGuild("Team", members...)), people, names[0], platform.Mention(bot)+" ")
		},
	})
}
