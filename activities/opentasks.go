package activities

import (
	"context"

	"errand"
)

// An OpenTasksInput names tasks that somebody waits for.
type OpenTasksInput struct {
	Store string          `json:"store"`
	Tasks []errand.TaskID `json:"tasks"`
	// Questions are those that somebody waits for.
	Questions []errand.QuestionID `json:"questions,omitempty"`
}

// An OpenTasksResult names those of them that have no outcome yet.
type OpenTasksResult struct {
	Open []errand.TaskID `json:"open,omitempty"`
	// OpenQuestions are the questions among them.
	OpenQuestions []errand.QuestionID `json:"open_questions,omitempty"`
}

// OpenTasks says which of some tasks are still open. A task that is no longer
// there has ended: nobody is to wait for it.
func (a *Activities) OpenTasks(ctx context.Context, in OpenTasksInput) (OpenTasksResult, error) {
	if err := a.at(in.Store); err != nil {
		return OpenTasksResult{}, err
	}
	still, err := a.Store.StillOpen(ctx, in.Tasks)
	if err != nil {
		return OpenTasksResult{}, failed(err)
	}
	asked, err := a.Store.OpenQuestions(ctx, in.Questions)
	return OpenTasksResult{Open: still, OpenQuestions: asked}, failed(err)
}
