package dispatch

import (
	"context"

	"errand"
	"errand/workflows"
)

// QuestionAnswered tells the sub-agent that asked that its question is over. What a
// session's own agent asks is answered by a message.
func (d *Dispatcher) QuestionAnswered(ctx context.Context, id errand.QuestionID, owner errand.Owner) error {
	if _, _, ok := owner.Task(); !ok {
		return nil
	}
	err := d.client.SignalWorkflow(ctx, string(owner), "", workflows.SignalAnswered, workflows.AnsweredSignal{Question: id})
	if isNotFound(err) {
		// The sub-agent is gone, or begins anew and finds the answer in the store.
		d.log.Warn("question answered and nobody waits for it", "task", owner)
		return nil
	}
	return err
}
