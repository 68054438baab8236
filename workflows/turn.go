package workflows

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/activities"
	"errand/internal/store"
)

// A turn runs from what was asked to the final reply: model call, tool calls,
// model call, and so on. Sessions and sub-agents share it.
//
// Running a turn again from its first step is harmless: a step or call that has
// an outcome in the store is not repeated. That is how a session goes on with a
// turn whose workflow was lost.
type turn struct {
	store    string
	owner    errand.Owner
	number   int
	session  errand.SessionKey // empty for a sub-agent
	settings Settings
	priority int
	waited   bool          // somebody sits and waits for it
	patience time.Duration // for an answer of the model, by the time of its attempts
	waitsFor time.Duration // for what calls have asked for; 0: as long as it takes

	rows    func(step int) store.Claim
	results bool // look for outcomes that nobody was told

	// root outlives the turn: cancelling a context cancels the children that
	// were started under it, and a task outlives the turn that asked for it.
	root     workflow.Context
	waits    *waits
	resume   func() bool            // stop waiting: the person wrote again
	asks     func()                 // it waits with no end to its patience
	onChange func()                 // something changed that status shows
	with     func(errand.AgentName) // the session is with this agent now
	took     func(rows []int64)     // a step has taken these rows of the inbox

	step    int
	claims  int
	left    bool             // there are outcomes that another turn has to take
	ended   errand.TaskState // how the sub-agent's task ended with the turn; empty: it did not
	verdict errand.Verdict   // that the sub-agent has given; empty: none
	tokens  int
	cost    float64
}

// A turnEnd says how a turn ended.
type turnEnd string

const (
	turnSilent  turnEnd = "silent"  // there was nothing to do
	turnReplied turnEnd = "replied" // with the final reply
	turnFailed  turnEnd = "failed"  // with an explanation why there is none
	turnClosed  turnEnd = "closed"  // from outside: stopped, canceled
)

func (t *turn) run(ctx workflow.Context) (turnEnd, error) {
	for t.step = 1; ; t.step++ {
		t.onChange()
		out, err := t.think(ctx)
		switch {
		case activities.IsClosed(err) || temporal.IsCanceledError(err):
			return turnClosed, nil
		case err != nil:
			return t.giveUp(ctx)
		}
		t.claims += out.Claims
		t.left = t.left || out.Left
		t.took(out.Taken)
		t.ended = out.Ended
		t.verdict = cmp.Or(out.Verdict, t.verdict)
		t.tokens += out.Tokens
		t.cost += out.Cost
		if out.Agent != "" {
			t.with(out.Agent)
		}
		if err := t.notify(ctx, out.Outbox); err != nil {
			return "", err
		}
		switch {
		case out.Empty:
			return turnSilent, nil
		case out.Failed:
			return turnFailed, nil
		case out.Final:
			return turnReplied, nil
		}
		if err := t.carryOut(ctx, out.Calls); err != nil {
			return "", err
		}
		if ctx.Err() != nil {
			return turnClosed, nil
		}
	}
}

// think makes one model call. While the installation is paused it waits.
func (t *turn) think(ctx workflow.Context) (store.StepResult, error) {
	in := activities.ThinkInput{
		Store:   t.store,
		Key:     errand.StepKey{Owner: t.owner, Turn: t.number, Step: t.step},
		Session: t.session,
		Rows:    t.rows(t.step),
		Results: t.results && t.step == 1,
		Last:    t.step >= t.settings.MaxSteps,
		Waited:  t.waited,

		Patience: t.patience,
	}
	summary := fmt.Sprintf("step %d: think", t.step)
	for {
		var out store.StepResult
		err := workflow.ExecuteActivity(
			t.placed(forModelCall(ctx, t.priority, summary)), acts.Think, in).Get(ctx, &out)
		if !activities.IsPaused(err) {
			return out, err
		}
		if err := t.awaitResume(ctx); err != nil {
			return out, err
		}
	}
}

// placed puts a step's activity on the queue of its kind. A step that nobody sits
// and waits for has its heartbeats rarely.
func (t *turn) placed(ctx workflow.Context) workflow.Context {
	if t.priority == PriorityPeople {
		return workflow.WithTaskQueue(ctx, TurnQueue)
	}
	if !t.waited {
		ctx = workflow.WithHeartbeatTimeout(ctx, backgroundHeartbeatTimeout)
	}
	return workflow.WithTaskQueue(ctx, SubAgentQueue)
}

// onQueueOf puts a call on the queue of the workers that can run its tool. Where none
// of them takes it, the turn goes on without.
func onQueueOf(call store.PlannedCall, ctx workflow.Context) workflow.Context {
	if call.Queue == "" {
		return ctx
	}
	return workflow.WithScheduleToStartTimeout(workflow.WithTaskQueue(ctx, call.Queue), waitForToolWorker)
}

func (t *turn) awaitResume(ctx workflow.Context) error {
	in := activities.AwaitResumeInput{Store: t.store}
	return workflow.ExecuteActivity(forStore(ctx, "paused"), acts.AwaitResume, in).Get(ctx, nil)
}

// giveUp ends a turn whose think has failed: the person is told so, and results
// that the turn was to tell go out without it. Think itself ends a turn whose model
// does not answer; this handles every other failure.
func (t *turn) giveUp(ctx workflow.Context) (turnEnd, error) {
	in := activities.GiveUpInput{
		Store:   t.store,
		Key:     errand.StepKey{Owner: t.owner, Turn: t.number, Step: t.step},
		Session: t.session,
		Rows:    t.rows(t.step),
		Results: t.results && t.step == 1,
	}
	var out store.StepResult
	err := workflow.ExecuteActivity(forStore(ctx, "give up"), acts.GiveUp, in).Get(ctx, &out)
	if activities.IsPaused(err) {
		if err := t.awaitResume(ctx); err != nil {
			return turnClosed, nil // canceled while it waited
		}
		return t.giveUp(ctx)
	}
	if activities.IsClosed(err) || temporal.IsCanceledError(err) {
		return turnClosed, nil
	}
	if err != nil {
		return "", err
	}
	t.ended = out.Ended
	if err := t.notify(ctx, out.Outbox); err != nil {
		return "", err
	}
	return turnFailed, nil
}

// carryOut runs the tool calls of a step, all at once, and waits for those that
// are waited for.
func (t *turn) carryOut(ctx workflow.Context, calls []store.PlannedCall) error {
	var tools []workflow.Future
	var ids []waitID
	var asked approvals
	for _, call := range calls {
		switch call.By {
		case store.ByActivity:
			tools = append(tools, t.runTool(ctx, call))
		case store.ByApproval:
			if !call.Ended && !call.Waits {
				continue // the turn goes on without it
			}
			asked = append(asked, call)
			t.waits.late = slices.DeleteFunc(t.waits.late, func(id waitID) bool { return id == waitID(call.Question) })
			if !call.Ended {
				t.waits.started(waitID(call.Question))
				ids = append(ids, waitID(call.Question))
			}
		case store.ByQuestion:
			if !call.Ended {
				t.waits.started(waitID(call.Question))
				if call.Waits {
					ids = append(ids, waitID(call.Question))
				}
			}
		case store.ByDelegation:
			if call.Ended {
				// Its outcome came before this run knew of the task: Temporal's
				// database is new. A turn has to look for it.
				t.waits.look = t.waits.look || !call.Waits
				continue
			}
			t.waits.started(waitID(call.Task))
			if call.Waits {
				ids = append(ids, waitID(call.Task))
			}
		}
	}
	t.waits.waitFor(ids)
	defer t.waits.waitFor(nil)
	t.onChange()
	if len(asked) > 0 {
		return t.awaitApprovals(ctx, asked, tools)
	}
	t.awaitTools(ctx, tools)
	return t.await(ctx)
}

func (t *turn) runTool(ctx workflow.Context, call store.PlannedCall) workflow.Future {
	return t.runCall(ctx, call, acts.Tool)
}

func (t *turn) runCall(ctx workflow.Context, call store.PlannedCall, run func(context.Context, activities.ToolInput) error) workflow.Future {
	in := activities.ToolInput{Store: t.store, Key: errand.CallKey{
		StepKey: errand.StepKey{Owner: t.owner, Turn: t.number, Step: t.step}, Index: call.Index}, Question: call.Question}
	summary := fmt.Sprintf("step %d: %s", t.step, call.Tool)
	return workflow.ExecuteActivity(onQueueOf(call, t.placed(forTool(ctx, t.priority, summary, call.Timeout))), run, in)
}

// awaitTools waits until tools have run.
func (t *turn) awaitTools(ctx workflow.Context, tools []workflow.Future) {
	for _, tool := range tools {
		// A tool that could not be run has no result in the store, and the next
		// step tells the model so.
		if err := tool.Get(ctx, nil); err != nil && !temporal.IsCanceledError(err) {
			workflow.GetLogger(ctx).Warn("tool call failed", "session", string(t.session), "owner", string(t.owner), "error", err)
		}
	}
}

// await waits until all that the turn waits for has its outcome, the turn is over, or
// patience or the person ends the wait. Nothing happens to what is no longer waited
// for: the call's result says that it is at work.
func (t *turn) await(ctx workflow.Context) error {
	over := func() bool { return t.waits.over() || t.resume() || ctx.Err() != nil }
	if over() {
		return nil
	}
	var err error
	if t.waitsFor == 0 {
		if len(tasks(t.waits.waiting)) > 0 {
			t.asks() // of answers people's doors tell, and else the watchdog
		}
		err = workflow.Await(t.root, over)
	} else {
		_, err = awaitFor(t.root, t.waitsFor, over)
	}
	return err
}

func (t *turn) notify(ctx workflow.Context, rows []int64) error {
	if len(rows) == 0 {
		return nil
	}
	in := activities.NotifyInput{Store: t.store, Rows: rows}
	// A stop that comes now must not cut off what has been said already.
	err := workflow.ExecuteActivity(forNotify(t.root), acts.Notify, in).Get(t.root, nil)
	if err != nil && !temporal.IsCanceledError(err) {
		// The rows stay in the outbox, and the watchdog sees to them.
		workflow.GetLogger(ctx).Warn("notify failed", "session", string(t.session), "error", err)
		return nil
	}
	return err
}
