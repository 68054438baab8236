package app_test

import (
	"fmt"
	"strings"
	"testing"

	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
)

// slots are as few as there can be, so that one call that waits takes them all.
func slots(turns, tasks int) func(*config.Config) {
	return func(c *config.Config) { c.Slots = config.Slots{Turns: turns, Tasks: tasks, Store: 4} }
}

// TestSlots proves that where slots are few nobody keeps them from others for long.
func TestSlots(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil, slots(2, 2))
	t.Run("people do not wait", func(t *testing.T) { in.peopleDoNotWait(t, s) })
	t.Run("the background goes on", func(t *testing.T) { in.backgroundGoesOn(t, s) })
	t.Run("many tasks leave room", func(t *testing.T) { in.manyTasksLeaveCapacity(t, s) })
}

// peopleDoNotWait proves that a person is answered, and obeyed, while sub-agents have
// all slots of theirs and more of them wait for one.
func (in *installation) peopleDoNotWait(t *testing.T, s *stage) {
	in = in.of(t)
	var calls []call
	for i := range 8 {
		calls = append(calls, send("sasha", fmt.Sprintf("after held %d", i)))
	}
	key := in.send("people", do(calls...))
	in.until(key, replies(1))
	s.begun(t, "sasha", 2)

	in.until(in.send("elsewhere", "hello"), replies(1))
	in.until(in.send("people", "hello"), replies(2))
	in.command("people", "/reset")
	in.until(in.send("people", "hello"), replies(3))
	if n := s.calls("sasha"); n != 2 {
		t.Errorf("%d steps of sub-agents run, want as many as there are slots", n)
	}
	s.open("held")
	for _, task := range in.awaitTasks("people", 8) {
		in.ended(task.ID)
	}
}

// backgroundGoesOn proves that sub-agents work while people have all slots of theirs
// and more of them wait for one.
func (in *installation) backgroundGoesOn(t *testing.T, s *stage) {
	in = in.of(t)
	key := in.send("background", do(send("sasha", "after go "+do(send("finn", "check"), send("priest", "check")))))
	in.until(key, replies(1))
	in.addBob(t)
	var busy []core.SessionKey
	for i := range 4 { // of two people, because one of them may not have all slots
		chat, text := fmt.Sprintf("busy %d", i), fmt.Sprintf("after busy %d", i)
		if i%2 == 0 {
			busy = append(busy, in.send(chat, text))
		} else {
			busy = append(busy, in.sendAsBob(t, chat, text))
		}
	}
	eventually(t, "two turns to have all slots", func() bool {
		n := 0
		for _, r := range s.Requests() {
			if text, _ := given(r); len(text) > 0 && strings.HasPrefix(text[0], "after busy ") {
				n++
			}
		}
		return n == 2
	})
	s.open("go")
	for _, task := range in.awaitTasks("background", 3) {
		eventually(t, "the end of a task", func() bool {
			now, err := in.Store.Task(t.Context(), task.ID)
			return err == nil && now.State.Terminal()
		})
	}
	s.open("busy")
	for _, key := range busy {
		in.until(key, replies(1))
	}
	in.ended(in.tasks("background")[2].ID)
}

// manyTasksLeaveCapacity proves that one person's many tasks, which have all slots and the
// whole queue, hold up another's one for a few of their steps only.
func (in *installation) manyTasksLeaveCapacity(t *testing.T, s *stage) {
	in = in.of(t)
	const many, few = 24, 4
	in.addBob(t)
	sashas, finns := s.calls("sasha"), s.calls("finn")
	var calls []call
	for i := range many {
		calls = append(calls, send("sasha", fmt.Sprint("wait many-", i)))
	}
	in.until(in.send("many", do(calls...)), replies(1))
	s.begun(t, "sasha", sashas+2)
	in.queued("many", many)
	in.until(in.sendAsBob(t, "bob", do(send("finn", "check"))), replies(1))
	in.queued("bob", 1)

	isOpen := map[string]bool{}
	for ended := 0; s.calls("finn") == finns; ended++ {
		if ended == few {
			t.Fatalf("it has not begun after %d of the other person's %d steps", ended, many)
		}
		before := s.calls("sasha")
		for _, r := range s.Requests() {
			text, _ := given(r)
			if speaker(r) != "sasha" || len(text) == 0 {
				continue
			}
			if name, ok := strings.CutPrefix(text[0], "wait "); ok && !isOpen[name] {
				isOpen[name] = true
				s.open(name)
				break
			}
		}
		eventually(t, "the next step", func() bool { return s.calls("sasha") > before || s.calls("finn") > finns })
	}
	for i := range many {
		if name := fmt.Sprint("many-", i); !isOpen[name] {
			s.open(name)
		}
	}
	for _, task := range append(in.tasks("many"), in.tasks("bob")...) {
		in.ended(task.ID)
	}
}

// queued waits until the first step of each of n tasks of a chat has begun or waits for a slot.
func (in *installation) queued(chat string, n int) {
	in.t.Helper()
	for _, task := range in.awaitTasks(chat, n) {
		id := string(core.SubAgentOwner(task.ID, task.Agents[0]))
		eventually(in.t, "the first step of "+id, func() bool {
			d, err := in.Client.DescribeWorkflowExecution(in.t.Context(), id, "")
			return err == nil && len(d.GetPendingActivities()) > 0
		})
	}
}

func (in *installation) addBob(t *testing.T) {
	t.Helper()
	if _, err := in.Store.EnsurePerson(t.Context(), "bob", "Bob", core.Member); err != nil {
		t.Fatal(err)
	}
}

func (in *installation) sendAsBob(t *testing.T, chat, text string) core.SessionKey {
	t.Helper()
	out, err := in.Intake.Accept(t.Context(), intake.Inbound{Route: core.WebRoute(chat), Person: "bob", Role: core.Member, Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return out.Key
}
