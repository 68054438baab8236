package workflows

import (
	"slices"

	"errand"
)

// openTasks keeps track of the tasks that a session or a sub-agent has delegated.
type openTasks struct {
	open     []errand.TaskID
	finished bool // an outcome has come that no turn has looked for yet
	// early are those whose outcome came in this turn before it was heard that they
	// had been started.
	early []errand.TaskID
}

func (e *openTasks) add(id errand.TaskID) {
	if !slices.Contains(e.open, id) {
		e.open = append(e.open, id)
	}
}

// started notes that an activity has started id.
func (e *openTasks) started(id errand.TaskID) {
	if !slices.Contains(e.early, id) {
		e.add(id)
	}
}

// done notes that id has its outcome. Whether somebody still has to be told is
// for the store to say.
func (e *openTasks) done(id errand.TaskID) {
	if !e.isOpen(id) {
		e.early = append(e.early, id)
	}
	e.open = slices.DeleteFunc(e.open, func(o errand.TaskID) bool { return o == id })
	e.finished = true
}

func (e *openTasks) isOpen(id errand.TaskID) bool { return slices.Contains(e.open, id) }

func (e *openTasks) anyOpen(ids []errand.TaskID) bool { return slices.ContainsFunc(ids, e.isOpen) }
