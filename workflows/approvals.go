package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"errand/internal/store"
)

// approvals are the calls of a step that run only once a person has said yes.
type approvals []store.PlannedCall

// awaitApprovals waits as [turn.await] does, and meanwhile has each call run whose
// question is over: what became of it is for the activity to find out, and for a call that
// was declined it runs nothing. What is still open then waits without the turn: a
// later one runs it.
func (t *turn) awaitApprovals(ctx workflow.Context, asked approvals, tools []workflow.Future) error {
	over := func() bool { return t.waits.over() || t.resume() || ctx.Err() != nil }
	open := func(call store.PlannedCall) bool { return t.waits.isOpen(waitID(call.Question)) }
	until := workflow.Now(ctx).Add(t.waitsFor)
	for {
		asked = slices.DeleteFunc(asked, func(call store.PlannedCall) bool {
			if open(call) || ctx.Err() != nil {
				return false
			}
			tools = append(tools, t.runTool(ctx, call))
			return true
		})
		if over() {
			break
		}
		closed := func() bool { return slices.ContainsFunc(asked, func(c store.PlannedCall) bool { return !open(c) }) }
		if t.waitsFor == 0 {
			if len(tasks(t.waits.waiting)) > 0 {
				t.asks()
			}
			if err := workflow.Await(t.root, func() bool { return over() || closed() }); err != nil {
				return err
			}
			continue
		}
		left := until.Sub(workflow.Now(ctx))
		if left <= 0 {
			break
		}
		if _, err := awaitFor(t.root, left, func() bool { return over() || closed() }); err != nil {
			return err
		}
	}
	for _, call := range asked {
		t.waits.drop(waitID(call.Question))
	}
	t.awaitTools(ctx, tools)
	return nil
}

// drop forgets something that is not waited for any longer: its end is for the store to
// remember.
func (w *waits) drop(id waitID) {
	w.open = slices.DeleteFunc(w.open, func(o waitID) bool { return o == id })
}

// onAnswered handles the signal that an approval is over, if there is one.
func (s *session) onAnswered(ctx workflow.Context, ch workflow.ReceiveChannel) bool {
	var sig AnsweredSignal
	if !ch.ReceiveAsync(&sig) {
		return false
	}
	id := waitID(sig.Question)
	if !id.isQuestion() {
		return true
	}
	s.waits.done(id)
	if s.current == nil {
		s.results = true
	}
	s.active = workflow.Now(ctx)
	return true
}
