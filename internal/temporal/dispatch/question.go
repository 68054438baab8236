package dispatch

import (
	"context"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// QuestionAnswered signals to the sub-agent that asked a question, or to the session of key, that
// the question is closed. It starts the session if needed. It is not called for questions in
// replies, which are answered by messages. refused means an approval without a yes.
func (d *Dispatcher) QuestionAnswered(ctx context.Context, id core.QuestionID, owner core.Owner, key core.SessionKey, refused bool) error {
	signal := wire.AnsweredSignal{Question: id, Refused: refused}
	task, _, ok := owner.Task()
	if !ok {
		if key == "" {
			return nil
		}
		return d.signalSession(ctx, key, wire.SignalAnswered, signal)
	}
	// Show the state first, so that the sub-agent's next question is shown after it. If this fails,
	// the next change of the state is shown.
	if err := d.ShowTaskState(ctx, task); err != nil {
		d.log.Warn("Temporal does not show a task's state yet", "task", task, "error", err)
	}
	err := d.client.SignalWorkflow(ctx, string(owner), "", wire.SignalAnswered, signal)
	if isNotFound(err) {
		// The sub-agent has ended, or its next run finds the answer in the store.
		d.log.Warn("question answered and nobody waits for it", "task", owner)
		err = nil
	}
	return err
}
