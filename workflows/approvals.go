package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"errand/internal/store"
	"errand/internal/temporal/wire"
)

type approvals []store.PlannedCall

// runApproved runs the call of every closed question, approved or not. Only the activity can decide
// whether the call may run.
func (t *turn) runApproved(ctx workflow.Context, call store.PlannedCall) workflow.Future {
	return t.runCall(ctx, call, acts.RunApproved)
}

// awaitApprovals waits like [turn.await] and runs each call whose question is closed, unless it was
// refused. The calls that are still open then are run by a later turn.
func (t *turn) awaitApprovals(ctx workflow.Context, asked approvals, tools []workflow.Future) error {
	over := func() bool { return t.waits.over() || t.resume() || ctx.Err() != nil }
	open := func(call store.PlannedCall) bool { return t.waits.isOpen(waitID(call.Question)) }
	until := workflow.Now(ctx).Add(t.waitsFor)
	for {
		asked = slices.DeleteFunc(asked, func(call store.PlannedCall) bool {
			if open(call) || ctx.Err() != nil {
				return false
			}
			if call.Refused || t.waits.isRefused(waitID(call.Question)) {
				return true
			}
			tools = append(tools, t.runApproved(ctx, call))
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
		t.waits.late = append(t.waits.late, waitID(call.Question))
	}
	t.awaitTools(ctx, tools)
	return nil
}

// lateAnswer records that a question was closed after the turn had stopped waiting for it. An
// approval ends a sub-agent's wait, which may take days, because its next step runs the call.
func (w *waits) lateAnswer(id waitID, refused bool) {
	if i := slices.Index(w.late, id); i >= 0 {
		w.late = slices.Delete(w.late, i, i+1)
		w.approved = w.approved || !refused
	}
}

func (w *waits) drop(id waitID) {
	w.open = slices.DeleteFunc(w.open, func(o waitID) bool { return o == id })
}

// refuse records that a signal reported a refusal. A signal is never enough to run a call.
func (w *waits) refuse(id waitID, refused bool) {
	if refused && !w.isRefused(id) {
		w.refused = append(w.refused, id)
	}
}

func (w *waits) isRefused(id waitID) bool { return slices.Contains(w.refused, id) }

func (s *session) onAnswered(ctx workflow.Context, ch workflow.ReceiveChannel) bool {
	var sig wire.AnsweredSignal
	if !ch.ReceiveAsync(&sig) {
		return false
	}
	id := waitID(sig.Question)
	if !id.isQuestion() {
		return true
	}
	s.waits.done(id)
	s.waits.refuse(id, sig.Refused)
	if s.current == nil {
		s.results = true
	}
	s.active = workflow.Now(ctx)
	return true
}
