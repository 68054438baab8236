package workflows

import (
	"slices"
	"strings"

	"errand"
)

// A waitID is the id of something that a call asked for and that has its outcome
// later: a task ("t-") or a question ("q-"). One list has them all.
type waitID string

// waits keeps track of what a session or a sub-agent has asked for and what of it the
// running turn waits for. Sessions and sub-agents wait for nothing in any other way.
type waits struct {
	open    []waitID // without an outcome
	waiting []waitID // what the running turn waits for
	// early are those whose outcome came in this turn before it was heard that they
	// had been started.
	early    []waitID
	unread   []waitID // those whose outcome came in this turn, and that no step of it is given
	refused  []waitID // approvals that are over without a yes
	late     []waitID // approvals that are open and that no step waits for
	approved bool     // one of them has its yes, and no step has begun since
	look     bool     // there may be outcomes beyond unread; the store knows
}

func (w *waits) add(id waitID) {
	if !slices.Contains(w.open, id) {
		w.open = append(w.open, id)
	}
}

// started notes that an activity has started what id names.
func (w *waits) started(id waitID) {
	if !slices.Contains(w.early, id) {
		w.add(id)
	}
}

// follows notes that a task was started by code, on the outcome of another; empty: none.
func (w *waits) follows(id errand.TaskID) {
	if id != "" {
		w.started(waitID(id))
	}
}

// done notes that id has its outcome. Whether somebody still has to be told is
// for the store to say.
func (w *waits) done(id waitID) {
	if !w.isOpen(id) {
		w.early = append(w.early, id)
	}
	w.open = slices.DeleteFunc(w.open, func(o waitID) bool { return o == id })
	if slices.Contains(w.waiting, id) {
		return // the next step is given it
	}
	w.unread = append(w.unread, id)
}

func (w *waits) isOpen(id waitID) bool { return slices.Contains(w.open, id) }

// beginTurn forgets what the next turn looks for: it takes whatever the store has.
func (w *waits) beginTurn() {
	w.unread, w.early, w.refused, w.look = nil, nil, nil, false
}

// waitFor notes that the running turn waits for ids. Of those that have their outcome
// already the next step is given it.
func (w *waits) waitFor(ids []waitID) {
	w.waiting = ids
	w.unread = slices.DeleteFunc(w.unread, func(id waitID) bool { return slices.Contains(ids, id) })
}

// over reports whether all that the running turn waits for has its outcome.
func (w *waits) over() bool { return !slices.ContainsFunc(w.waiting, w.isOpen) }

// results reports whether there may be an outcome that no turn was given.
func (w *waits) results() bool { return len(w.unread) > 0 || w.look }

func tasks(ids []waitID) []errand.TaskID {
	var list []errand.TaskID
	for _, id := range ids {
		if !id.isQuestion() {
			list = append(list, errand.TaskID(id))
		}
	}
	return list
}

func questions(ids []waitID) []errand.QuestionID {
	var list []errand.QuestionID
	for _, id := range ids {
		if id.isQuestion() {
			list = append(list, errand.QuestionID(id))
		}
	}
	return list
}

func (id waitID) isQuestion() bool { return strings.HasPrefix(string(id), "q-") }
