package workflows

import (
	"slices"
	"strings"

	"errand/internal/core"
)

// A waitID is the id of a task ("t-") or a question ("q-").
type waitID string

// waits tracks the tasks and questions whose outcomes a session or sub-agent waits for.
type waits struct {
	open    []waitID // without an outcome
	waiting []waitID // those that the current turn waits for
	// early are those whose outcome came in this turn before the start of the wait was known.
	early    []waitID
	unread   []waitID // those whose outcome came in this turn, and that none of its steps receives
	refused  []waitID // approvals that were closed without approval
	late     []waitID // open approvals that no step waits for
	approved bool     // a late one was approved, and no step has begun since
	look     bool     // the store may have outcomes beyond unread
}

func (w *waits) add(id waitID) {
	if !slices.Contains(w.open, id) {
		w.open = append(w.open, id)
	}
}

func (w *waits) started(id waitID) {
	if !slices.Contains(w.early, id) {
		w.add(id)
	}
}

func (w *waits) follows(id core.TaskID) {
	if id != "" {
		w.started(waitID(id))
	}
}

// done records that id has an outcome. The store decides who receives it.
func (w *waits) done(id waitID) {
	if !w.isOpen(id) {
		w.early = append(w.early, id)
	}
	w.open = slices.DeleteFunc(w.open, func(o waitID) bool { return o == id })
	if slices.Contains(w.waiting, id) {
		return // the next step receives it
	}
	w.unread = append(w.unread, id)
}

func (w *waits) isOpen(id waitID) bool { return slices.Contains(w.open, id) }

// beginTurn clears what is left of the last turn, because a turn takes everything from the store.
func (w *waits) beginTurn() {
	w.unread, w.early, w.refused, w.look = nil, nil, nil, false
}

// waitFor removes ids from unread, because the next step receives their outcomes.
func (w *waits) waitFor(ids []waitID) {
	w.waiting = ids
	w.unread = slices.DeleteFunc(w.unread, func(id waitID) bool { return slices.Contains(ids, id) })
}

func (w *waits) over() bool { return !slices.ContainsFunc(w.waiting, w.isOpen) }

func (w *waits) results() bool { return len(w.unread) > 0 || w.look }

func tasks(ids []waitID) []core.TaskID {
	var list []core.TaskID
	for _, id := range ids {
		if !id.isQuestion() {
			list = append(list, core.TaskID(id))
		}
	}
	return list
}

func questions(ids []waitID) []core.QuestionID {
	var list []core.QuestionID
	for _, id := range ids {
		if id.isQuestion() {
			list = append(list, core.QuestionID(id))
		}
	}
	return list
}

func (id waitID) isQuestion() bool { return strings.HasPrefix(string(id), "q-") }
