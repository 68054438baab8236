package dispatch

import (
	"context"

	"errand"
	"errand/workflows"
)

// QuestionAnswered tells whoever waits for a question that it is over: the sub-agent that
// asked it, or the session of key, which is started if it does not run. What the reply of a
// turn asks is answered by a message, and not told here. refused is of an approval that
// there is no yes to.
func (d *Dispatcher) QuestionAnswered(ctx context.Context, id errand.QuestionID, owner errand.Owner, key errand.SessionKey, refused bool) error {
	signal := workflows.AnsweredSignal{Question: id, Refused: refused}
	task, _, ok := owner.Task()
	if !ok {
		if key == "" {
			return nil
		}
		return d.signalSession(ctx, key, workflows.SignalAnswered, signal)
	}
	// First, so that what the sub-agent asks next is shown later. If it fails, the next
	// change of the state is shown.
	if err := d.ShowTaskState(ctx, task); err != nil {
		d.log.Warn("Temporal does not show the state of a task yet", "task", task, "error", err)
	}
	err := d.client.SignalWorkflow(ctx, string(owner), "", workflows.SignalAnswered, signal)
	if isNotFound(err) {
		// The sub-agent is gone, or begins anew and finds the answer in the store.
		d.log.Warn("question answered and nobody waits for it", "task", owner)
		err = nil
	}
	return err
}
