package workflows

import (
	"slices"

	"errand"
)

// openTasks keeps track of the tasks that a session or a sub-agent has delegated.
type openTasks struct {
	open     []errand.TaskID
	finished bool // an outcome has come that no turn has looked for yet
}

func (e *openTasks) add(id errand.TaskID) {
	if !slices.Contains(e.open, id) {
		e.open = append(e.open, id)
	}
}

// done notes that id has its outcome. Whether somebody still has to be told is
// for the store to say.
func (e *openTasks) done(id errand.TaskID) {
	e.open = slices.DeleteFunc(e.open, func(o errand.TaskID) bool { return o == id })
	e.finished = true
}

func (e *openTasks) isOpen(id errand.TaskID) bool { return slices.Contains(e.open, id) }

func (e *openTasks) anyOpen(ids []errand.TaskID) bool { return slices.ContainsFunc(ids, e.isOpen) }
