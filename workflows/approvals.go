package workflows

import (
	"slices"

	"go.temporal.io/sdk/workflow"

	"errand/internal/store"
)

// approvals are the calls of a step that run only once a person has said yes.
type approvals []store.PlannedCall

// runApproved has the tool of a call run whose question is over. What became of that only
// the activity knows.
func (t *turn) runApproved(ctx workflow.Context, call store.PlannedCall) workflow.Future {
	return t.runCall(ctx, call, acts.RunApproved)
}

// awaitApprovals waits as [turn.await] does, and meanwhile has each call run whose
// question is over, unless it is known that nobody has said yes: the next step tells that. What is
// still open then waits without the turn: a later one runs it.
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

// lateAnswer notes that a question is over which the turn has gone on without. A yes ends
// whatever a sub-agent waits for: its next step has the call run, and the wait may be for
// days.
func (w *waits) lateAnswer(id waitID, refused bool) {
	if i := slices.Index(w.late, id); i >= 0 {
		w.late = slices.Delete(w.late, i, i+1)
		w.approved = w.approved || !refused
	}
}

// drop forgets something that is not waited for any longer: its end is for the store to
// remember.
func (w *waits) drop(id waitID) {
	w.open = slices.DeleteFunc(w.open, func(o waitID) bool { return o == id })
}

// refuse notes that a question is over without a yes, if it is. A signal says that nothing
// runs, never that something does.
func (w *waits) refuse(id waitID, refused bool) {
	if refused && !w.isRefused(id) {
		w.refused = append(w.refused, id)
	}
}

func (w *waits) isRefused(id waitID) bool { return slices.Contains(w.refused, id) }

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
	s.waits.refuse(id, sig.Refused)
	if s.current == nil {
		s.results = true
	}
	s.active = workflow.Now(ctx)
	return true
}
