package chat

import (
	"slices"
	"strconv"
	"time"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/cli/console"
	"errand/internal/cli/words"
	"errand/internal/printable"
)

// A status is who is at work in a chat, as far as its events tell.
type status struct {
	turn  *work
	tasks []*work // open ones, the latest step last
}

const answering = "answering"

// A work is a turn, or a task, that goes on.
type work struct {
	task  errand.TaskID
	agent string
	doing string
	since time.Time
}

// sent begins a turn: something was said, and somebody will answer.
func (s *status) sent(now time.Time) {
	if s.turn == nil {
		s.turn = &work{since: now}
	}
}

// stopped ends the turn.
func (s *status) stopped() { s.turn = nil }

// busy reports whether a turn runs, which /stop would end.
func (s *status) busy() bool { return s.turn != nil }

func (s *status) note(e client.Event, now time.Time) {
	switch e.Type {
	case errand.EventStep:
		w := s.work(e, now)
		w.agent, w.doing = e.Who(), printable.Line(e.Text)
	case errand.EventDelta:
		if e.Task == "" {
			w := s.work(e, now)
			w.agent, w.doing = e.Who(), answering
		}
	case errand.EventTask:
		if e.State.Terminal() {
			s.tasks = slices.DeleteFunc(s.tasks, func(w *work) bool { return w.task == e.Task })
		} else {
			s.work(e, now).agent = e.Who()
		}
	case errand.EventReply, errand.EventError:
		s.turn = nil
	case errand.EventQuestion:
		if e.Task == "" {
			s.turn = nil
		}
	case errand.EventLate, errand.EventNotice:
		if e.Turn != 0 { // told by a turn, or the end of one that was stopped
			s.turn = nil
		}
	}
}

func (s *status) work(e client.Event, now time.Time) *work {
	if e.Task == "" {
		s.sent(now)
		return s.turn
	}
	w := &work{task: e.Task, since: now}
	if i := slices.IndexFunc(s.tasks, func(w *work) bool { return w.task == e.Task }); i >= 0 {
		w = s.tasks[i]
		s.tasks = slices.Delete(s.tasks, i, i+1)
	}
	s.tasks = append(s.tasks, w)
	return w
}

// text is the line that a person sees: "Sasha is working: step 3, searching (12s)".
func (s *status) text(l words.Language, now time.Time) string {
	if s.turn == nil && len(s.tasks) == 0 {
		return ""
	}
	// A turn that waits for a task says less than the task.
	at, others := s.turn, len(s.tasks)
	if n := len(s.tasks); n > 0 && (at == nil || at.doing != answering) {
		at, others = s.tasks[n-1], n-1
	}
	doing := at.doing
	if doing == answering {
		doing = l.Say("answering")
	}
	var text string
	switch {
	case at.agent == "":
		text = l.Say("waiting for an answer")
	case doing == "":
		text = l.Say("{agent} is working", "agent", at.agent)
	default:
		text = l.Say("{agent} is working: {doing}", "agent", at.agent, "doing", doing)
	}
	text += " (" + console.Lasted(now.Sub(at.since)) + ")"
	switch others {
	case 0:
	case 1:
		text += l.Say(", and 1 task more")
	default:
		text += l.Say(", and {n} tasks more", "n", strconv.Itoa(others))
	}
	return text
}
