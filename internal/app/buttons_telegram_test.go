package app_test

import (
	"strconv"
	"testing"

	platform "errand/internal/sim/telegram"
)

// TestButtonsOnTelegram is answersOnPlatform with the inline keyboards of Telegram.
func TestButtonsOnTelegram(t *testing.T) {
	t.Parallel()
	w := newTelegram(t)
	bot := w.AddBot("errand_bot")
	in, _ := play(t, nil, withAccounts(w.account("main", bot)))
	chat := func(c *platform.Chat, people map[string]*platform.Person, person, address string) simChat {
		return simChat{
			person: person,
			write: func(by, replyTo, text string) {
				id, _ := strconv.Atoi(replyTo)
				w.Post(c, people[by], platform.Post{Text: address + text, ReplyTo: id})
			},
			press: func(by, id, label string) func() bool {
				n, _ := strconv.Atoi(id)
				press := w.Press(c, people[by], n, label)
				if press == "" {
					return nil
				}
				return func() bool { _, ok := w.Answered(press); return ok }
			},
			lines: func() (list []simLine) {
				for _, l := range w.Lines(c) {
					list = append(list, simLine{strconv.Itoa(l.ID), l.Text, l.Buttons})
				}
				return list
			},
		}
	}
	answersOnPlatform(t, in, simPlatform{clears: true,
		private: func(name string) simChat {
			p := w.AddPerson(platform.Person{Name: name})
			return chat(w.Start(p, bot), map[string]*platform.Person{name: p}, name, "")
		},
		group: func(names ...string) simChat {
			people := map[string]*platform.Person{}
			for _, name := range names {
				people[name] = w.AddPerson(platform.Person{Name: name})
			}
			return chat(w.AddGroup("Team", false, bot), people, names[0], "@errand_bot ")
		},
	})
}
