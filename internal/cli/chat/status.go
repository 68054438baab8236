package chat

import (
	"fmt"
	"slices"
	"time"

	"errand/internal/cli/console"
	"errand/internal/core"
)

type status struct {
	turn  *work
	tasks []*work // open tasks, the one with the latest step last
}

const answering = "answering"

type work struct {
	task  core.TaskID
	agent string
	doing string
	since time.Time
}

func (s *status) sent(now time.Time) {
	if s.turn == nil {
		s.turn = &work{since: now}
	}
}

func (s *status) stopped() { s.turn = nil }

func (s *status) busy() bool { return s.turn != nil }

func (s *status) note(e console.Event, now time.Time) {
	switch e.Type {
	case core.EventStep:
		w := s.work(e, now)
		w.agent, w.doing = e.Who(), console.Line(e.Text)
	case core.EventDelta:
		if e.Task == "" {
			w := s.work(e, now)
			w.agent, w.doing = e.Who(), answering
		}
	case core.EventTask:
		if e.State.Terminal() {
			s.tasks = slices.DeleteFunc(s.tasks, func(w *work) bool { return w.task == e.Task })
		} else {
			s.work(e, now).agent = e.Who()
		}
	case core.EventReply, core.EventError:
		s.turn = nil
	case core.EventQuestion:
		if e.Task == "" {
			s.turn = nil
		}
	case core.EventLate, core.EventNotice:
		if e.Turn != 0 { // reported by a turn, or the end of a stopped one
			s.turn = nil
		}
	}
}

func (s *status) work(e console.Event, now time.Time) *work {
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

// text returns a line such as "Sasha is working: step 3, searching (12s)".
func (s *status) text(now time.Time) string {
	if s.turn == nil && len(s.tasks) == 0 {
		return ""
	}
	// Show the task instead of a turn that waits for it.
	at, others := s.turn, len(s.tasks)
	if n := len(s.tasks); n > 0 && (at == nil || at.doing != answering) {
		at, others = s.tasks[n-1], n-1
	}
	var text string
	switch {
	case at.agent == "":
		text = "waiting for an answer"
	case at.doing == "":
		text = fmt.Sprintf("%s is working", at.agent)
	default:
		text = fmt.Sprintf("%s is working: %s", at.agent, at.doing)
	}
	text += " (" + console.Lasted(now.Sub(at.since)) + ")"
	switch others {
	case 0:
	case 1:
		text += ", and 1 more task"
	default:
		text += fmt.Sprintf(", and %d more tasks", others)
	}
	return text
}
