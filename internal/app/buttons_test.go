package app_test

import (
	"slices"
	"strings"
	"testing"

	"errand/api"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/llmtest"
	"errand/internal/test/notifiertest"
	"errand/internal/test/servicetest"
)

// A simLine is what errand has written in a chat of a local platform.
type simLine struct {
	id, text string
	buttons  []string
}

// A simChat is a chat of a local platform, as the people in it use it.
type simChat struct {
	person string // whose it is, or who writes first
	// write writes something, in reply to a message where replyTo is not empty.
	write func(by, replyTo, text string)
	// press chooses an answer under a message, as people do there. It returns whether the
	// platform has been told that somebody looks after it; nil: there is no such button.
	press func(by, id, label string) func() bool
	lines func() []simLine
}

// A simPlatform is a local platform on which errand has an account.
type simPlatform struct {
	private func(name string) simChat
	group   func(names ...string) simChat // of the first of them
	// clears says that a button is taken away where its presser is alone with errand.
	clears bool
}

// awaitLine waits for a line of errand's that has a text.
func (c simChat) awaitLine(t *testing.T, text string) (found simLine) {
	t.Helper()
	defer func() {
		if t.Failed() {
			t.Logf("%s reads %+v", c.person, c.lines())
		}
	}()
	eventually(t, "errand writes "+text, func() bool {
		list := c.lines()
		i := slices.IndexFunc(list, func(l simLine) bool { return strings.Contains(l.text, text) })
		if i >= 0 {
			found = list[i]
		}
		return i >= 0
	})
	return found
}

func (c simChat) count(text string) (n int) {
	for _, l := range c.lines() {
		n += strings.Count(l.text, text)
	}
	return n
}

// pressed presses a button, and waits until the platform hears of it.
func (c simChat) pressed(t *testing.T, by, id, label string) {
	t.Helper()
	acknowledged := c.press(by, id, label)
	if acknowledged == nil {
		t.Fatalf("%s cannot choose %q", by, label)
	}
	eventually(t, "the press of "+label+" by "+by+" is acknowledged", acknowledged)
}

func asking(question string, options ...string) call {
	if len(options) == 0 {
		return tool("ask_user", map[string]string{"question": question})
	}
	return llmtest.ToolCall{Tool: "ask_user", Args: `{"question":"` + question + `","options":["` + strings.Join(options, `","`) + `"]}`}
}

// The options that are asked for: one that a button cannot carry, and one whose marks
// platforms show in ways of their own.
var (
	longOption   = strings.Repeat("the day after ", 6) + "my next birthday"
	markedOption = "Monday *at 9* or 2_3"
)

// answersOnPlatform proves that what a sub-agent asks is answered on a platform by a
// button, or as it is done there, from the platform's wire to the platform's wire: once,
// however often it is pressed; not when it is over, and not by somebody else; that the
// platform hears of each press; and that a reply in one's own words is the answer where
// there are no options.
func answersOnPlatform(t *testing.T, in *installation, p simPlatform) {
	ask := func(t *testing.T, c simChat, ask call) (core.Question, simLine) {
		t.Helper()
		before, err := in.Store.Questions(t.Context(), store.QuestionFilter{})
		if err != nil {
			t.Fatal(err)
		}
		c.write(c.person, "", do(send("sasha", do(ask))))
		var q core.Question
		eventually(t, "the question of "+c.person, func() bool {
			list, err := in.Store.Questions(t.Context(), store.QuestionFilter{})
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(list, func(q core.Question) bool {
				return c.isOf(in, q) && !slices.ContainsFunc(before, func(b core.Question) bool { return b.ID == q.ID })
			})
			if i >= 0 {
				q = list[i]
			}
			return i >= 0
		})
		return q, c.awaitLine(t, string(q.ID))
	}
	// ends waits until the sub-agent has been given an answer, and reads it.
	given := func(t *testing.T, q core.Question, answer string) {
		t.Helper()
		eventually(t, "sasha goes on with "+answer, func() bool {
			task, err := in.Store.Task(t.Context(), q.Task)
			if err != nil {
				t.Fatal(err)
			}
			return strings.Contains(core.Unmarked(task.Result), "<answer>\n"+answer+"\n</answer>")
		})
	}

	t.Run("pressed, and pressed again", func(t *testing.T) {
		t.Parallel()
		c := p.private("Ana")
		q, line := ask(t, c, asking("Which day?", markedOption, longOption))
		presses := []func() bool{c.press("Ana", line.id, markedOption), c.press("Ana", line.id, markedOption), c.press("Ana", line.id, longOption)}
		for _, acknowledged := range presses {
			if acknowledged != nil { // it may be gone by then
				eventually(t, "a press is acknowledged", acknowledged)
			}
		}
		given(t, q, markedOption)
		c.awaitLine(t, "Sasha has your answer: ")
		if n := c.count("Sasha has your answer: "); n != 1 {
			t.Errorf("it is answered %d times: %+v", n, c.lines())
		}
		if p.clears {
			eventually(t, "the buttons are gone", func() bool { return len(c.awaitLine(t, string(q.ID)).buttons) == 0 })
		}
	})

	t.Run("an answer that no button holds", func(t *testing.T) {
		t.Parallel()
		c := p.private("Bea")
		q, line := ask(t, c, asking("Which day?", markedOption, longOption))
		c.pressed(t, "Bea", line.id, longOption)
		given(t, q, longOption)
	})

	t.Run("in one's own words", func(t *testing.T) {
		t.Parallel()
		c := p.private("Cleo")
		q, line := ask(t, c, asking("Which day?"))
		if len(line.buttons) > 0 {
			t.Errorf("it has the buttons %q", line.buttons)
		}
		eventually(t, "the question is noted as sent", func() bool { // nobody types as fast as that
			rows, err := in.Store.Deliveries(t.Context(), []core.OutboxState{core.Sent}, store.Page{})
			if err != nil {
				t.Fatal(err)
			}
			return slices.ContainsFunc(rows, func(n core.Notification) bool { return n.Question == q.ID })
		})
		c.write("Cleo", line.id, "the day after my birthday")
		given(t, q, "the day after my birthday")
		c.awaitLine(t, "Sasha has your answer: the day after my birthday")
	})

	t.Run("withdrawn", func(t *testing.T) {
		t.Parallel()
		c := p.private("Dora")
		q, line := ask(t, c, asking("Which day?", "Monday", "Tuesday"))
		if _, err := servicetest.CancelTask(t.Context(), in.Service, owner, q.Task, ""); err != nil {
			t.Fatal(err)
		}
		c.pressed(t, "Dora", line.id, "Monday")
		c.awaitLine(t, "Sasha no longer needs an answer to "+string(q.ID))
	})

	t.Run("expired", func(t *testing.T) {
		t.Parallel()
		c := p.private("Emil")
		q, line := ask(t, c, asking("Which day?", "Monday", "Tuesday"))
		if _, _, _, err := in.Store.CloseQuestion(t.Context(), store.CloseQuestion{ID: q.ID, State: core.QuestionExpired}); err != nil {
			t.Fatal(err)
		}
		c.pressed(t, "Emil", line.id, "Monday")
		c.awaitLine(t, string(q.ID)+" has expired")
	})

	t.Run("answered by somebody else", func(t *testing.T) {
		t.Parallel()
		c := p.private("Fred")
		q, line := ask(t, c, asking("Which day?", "Monday", "Tuesday"))
		if _, err := servicetest.AnswerQuestion(t.Context(), in.Service, owner, q.ID, api.QuestionAnswer{Text: "2"}); err != nil {
			t.Fatal(err)
		}
		c.pressed(t, "Fred", line.id, "Monday")
		c.awaitLine(t, "has already answered "+string(q.ID)+": Tuesday")
		given(t, q, "Tuesday")
	})

	t.Run("by somebody it was not asked of", func(t *testing.T) {
		t.Parallel()
		c := p.group("Gina", "Hugo")
		q, line := ask(t, c, asking("Which day?", "Monday", "Tuesday"))
		c.pressed(t, "Hugo", line.id, "Monday")
		c.awaitLine(t, string(q.ID)+" is for Gina; only they can answer it")
		if now, err := in.Store.Question(t.Context(), q.ID); err != nil || now.State != core.QuestionOpen {
			t.Errorf("it is %s, %v", now.State, err)
		}
		c.pressed(t, "Gina", line.id, "Tuesday")
		given(t, q, "Tuesday")
		c.pressed(t, "Gina", line.id, "Monday")
		c.awaitLine(t, "ou have already answered "+string(q.ID)+": Tuesday")
	})

	t.Run("a reply to the card of a task", func(t *testing.T) {
		t.Parallel()
		c := p.private("Iris")
		c.write("Iris", "", do(send("finn", "wait "+c.person)))
		card := ""
		eventually(t, "the card of the task", func() bool {
			list := c.lines()
			i := slices.IndexFunc(list, func(l simLine) bool { return notifiertest.IsProgress(l.text) })
			if i >= 0 {
				card = list[i].id
			}
			return i >= 0
		})
		eventually(t, "the card is noted", func() bool { // nobody types as fast as that
			tasks, err := in.Store.ProgressTasks(t.Context(), in.taskFor(t, "wait "+c.person).Origin.SessionKey, card)
			if err != nil {
				t.Fatal(err)
			}
			return len(tasks) > 0
		})
		c.write("Iris", card, "and the fares")
		c.awaitLine(t, "Finn will read that before the next step of t-")
	})
}

func (in *installation) taskFor(t *testing.T, part string) core.Task {
	t.Helper()
	list, err := in.Store.Tasks(t.Context(), store.TaskFilter{Text: part})
	if err != nil || len(list) == 0 {
		t.Fatalf("no task has %q: %v", part, err)
	}
	return list[0]
}

// isOf reports whether a question asks the person of a chat.
func (c simChat) isOf(in *installation, q core.Question) bool {
	p, err := in.Store.Person(in.t.Context(), q.Person)
	return err == nil && p.Name == c.person
}
