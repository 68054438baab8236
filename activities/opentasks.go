package activities

import (
	"context"

	"errand"
)

// An OpenTasksInput names tasks that somebody waits for.
type OpenTasksInput struct {
	Store string          `json:"store"`
	Tasks []errand.TaskID `json:"tasks"`
	// Owner is who waits, where that is a sub-agent.
	Owner errand.Owner `json:"owner,omitempty"`
	// Questions are those that somebody waits for.
	Questions []errand.QuestionID `json:"questions,omitempty"`
}

// An OpenTasksResult names those of them that have no outcome yet.
type OpenTasksResult struct {
	Open []errand.TaskID `json:"open,omitempty"`
	// Added are the rows that were added to the task of Owner and that no step has taken.
	Added []int64 `json:"added,omitempty"`
	// FollowedBy are open tasks that follow the decisions of those which have ended.
	FollowedBy []errand.TaskID `json:"followed_by,omitempty"`
	// OpenQuestions are the questions among them.
	OpenQuestions []errand.QuestionID `json:"open_questions,omitempty"`
	// Refused are the approvals among them that are over without a yes.
	Refused []errand.QuestionID `json:"refused,omitempty"`
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
	added, err := a.Store.UntakenTaskMessages(ctx, in.Owner)
	if err != nil {
		return OpenTasksResult{}, failed(err)
	}
	following, err := a.Store.Following(ctx, in.Tasks)
	if err != nil {
		return OpenTasksResult{}, failed(err)
	}
	asked, refused, err := a.Store.OpenQuestions(ctx, in.Questions)
	return OpenTasksResult{Open: still, Added: added, FollowedBy: following, OpenQuestions: asked, Refused: refused}, failed(err)
}
