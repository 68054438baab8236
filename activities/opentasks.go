package activities

import (
	"context"

	"errand"
)

// An OpenTasksInput names tasks that somebody waits for.
type OpenTasksInput struct {
	Store string          `json:"store"`
	Tasks []errand.TaskID `json:"tasks"`
}

// An OpenTasksResult names those of them that have no outcome yet.
type OpenTasksResult struct {
	Open []errand.TaskID `json:"open,omitempty"`
}

// OpenTasks says which of some tasks are still open. A task that is no longer
// there has ended: nobody is to wait for it.
func (a *Activities) OpenTasks(ctx context.Context, in OpenTasksInput) (OpenTasksResult, error) {
	if err := a.at(in.Store); err != nil {
		return OpenTasksResult{}, err
	}
	still, err := a.Store.StillOpen(ctx, in.Tasks)
	return OpenTasksResult{Open: still}, failed(err)
}
