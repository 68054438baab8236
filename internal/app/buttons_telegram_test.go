package app_test

import (
	"strconv"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/store"
	platform "errand/internal/test/sim/telegram"
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

// TestPressedWhileDown proves that a button which is pressed while no worker runs answers its
// question when one does: once, though it was pressed twice.
func TestPressedWhileDown(t *testing.T) {
	t.Parallel()
	w := newTelegram(t)
	bot := w.AddBot("errand_bot")
	in, _ := play(t, nil, withAccounts(w.account("main", bot)))
	c := w.Start(w.ana, bot)
	w.Post(c, w.ana, platform.Post{Text: do(send("sasha", do(asking("Which day?", "Monday", "Tuesday"))))})
	shown := func() (line platform.Line) {
		for _, l := range w.Lines(c) {
			if len(l.Buttons) > 0 {
				line = l
			}
		}
		return line
	}
	eventually(t, "the question", func() bool { return shown().ID != 0 })
	list, err := in.Store.Questions(t.Context(), store.QuestionFilter{})
	if err != nil || len(list) != 1 {
		t.Fatalf("%+v is asked, %v", list, err)
	}
	in.stop()
	for range 2 {
		if w.Press(c, w.ana, shown().ID, "Tuesday") == "" {
			t.Fatal("there is no such button")
		}
	}
	in.start()
	task := in.ended(list[0].Task)
	if task.State != core.Completed || !strings.Contains(core.Unmarked(task.Result), "<answer>\nTuesday\n</answer>") {
		t.Errorf("the task is %s: %q", task.State, task.Result)
	}
	answers := func(text string) (n int) {
		for _, l := range w.Lines(c) {
			n += strings.Count(l.Text, text)
		}
		return n
	}
	eventually(t, "the result", func() bool { return answers("<answer>") > 0 })
	if n := answers("Sasha has your answer: "); n > 1 {
		t.Errorf("it is answered %d times: %+v", n, w.Lines(c))
	}
}
