package workflows

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// A turn runs from a message to the final reply: model call, tool calls, model call, and so on.
// Sessions and sub-agents share it.
//
// A turn may be run again from its first step: a step or call with an outcome in the store is not
// repeated. A session continues a turn whose workflow was lost in this way.
type turn struct {
	store    string
	owner    core.Owner
	number   int
	session  core.SessionKey // empty for a sub-agent
	settings wire.Settings
	priority int
	waited   bool          // a person waits for it
	patience time.Duration // for an answer of the model, counted by the time of its attempts
	waitsFor time.Duration // for the outcomes that calls wait for; 0: no limit

	rows    func(step int) store.Claim
	results bool // take outcomes that were not reported

	// root outlives the turn: canceling a context cancels the children that were started under it,
	// and a task outlives the turn that delegated it.
	root     workflow.Context
	waits    *waits
	resume   func() bool          // stop waiting because the person wrote again
	asks     func()               // called when it waits without a limit
	onChange func()               // called when status has changed
	with     func(core.AgentName) // called with the agent that leads the session now
	took     func(rows []int64)   // called with the rows of the inbox that a step has taken

	step    int
	claims  int
	left    bool           // some outcomes are left for another turn
	ended   core.TaskState // final state if the sub-agent's task ended with the turn; else empty
	verdict core.Verdict   // the sub-agent's; empty: none
	tokens  int
	cost    float64
}

// A turnEnd says how a turn ended.
type turnEnd string

const (
	turnSilent  turnEnd = "silent"  // nothing to do
	turnReplied turnEnd = "replied" // with the final reply
	turnFailed  turnEnd = "failed"  // with an explanation instead of a reply
	turnClosed  turnEnd = "closed"  // stopped or canceled
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

func (t *turn) think(ctx workflow.Context) (store.StepResult, error) {
	in := wire.ThinkInput{
		Store:   t.store,
		Key:     core.StepKey{Owner: t.owner, Turn: t.number, Step: t.step},
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

// placed sets the task queue of a step.
func (t *turn) placed(ctx workflow.Context) workflow.Context {
	if t.priority == wire.PriorityPeople {
		return workflow.WithTaskQueue(ctx, wire.TurnQueue)
	}
	return workflow.WithTaskQueue(ctx, wire.SubAgentQueue)
}

// onQueueOf lets the turn continue without a call if no worker takes the call.
func onQueueOf(call store.PlannedCall, ctx workflow.Context) workflow.Context {
	if call.Queue == "" {
		return ctx
	}
	return workflow.WithScheduleToStartTimeout(workflow.WithTaskQueue(ctx, call.Queue), waitForToolWorker)
}

func (t *turn) awaitResume(ctx workflow.Context) error {
	in := wire.AwaitResumeInput{Store: t.store}
	return workflow.ExecuteActivity(forStore(ctx, "paused"), acts.AwaitResume, in).Get(ctx, nil)
}

// giveUp ends a turn whose think has failed. Think itself ends a turn whose model does not answer.
func (t *turn) giveUp(ctx workflow.Context) (turnEnd, error) {
	in := wire.GiveUpInput{
		Store:   t.store,
		Key:     core.StepKey{Owner: t.owner, Turn: t.number, Step: t.step},
		Session: t.session,
		Rows:    t.rows(t.step),
		Results: t.results && t.step == 1,
	}
	var out store.StepResult
	err := workflow.ExecuteActivity(forStore(ctx, "give up"), acts.GiveUp, in).Get(ctx, &out)
	if activities.IsPaused(err) {
		if err := t.awaitResume(ctx); err != nil {
			return turnClosed, nil // canceled during the wait
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

// carryOut runs the calls of a step concurrently. It waits for those that the step waits for.
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
				continue // the turn continues without it
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
				// The outcome came before this run knew of the task, because Temporal's database is
				// new. A turn has to look for it.
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

func (t *turn) runCall(ctx workflow.Context, call store.PlannedCall, run func(context.Context, wire.ToolInput) error) workflow.Future {
	in := wire.ToolInput{Store: t.store, Key: core.CallKey{
		StepKey: core.StepKey{Owner: t.owner, Turn: t.number, Step: t.step}, Index: call.Index}, Question: call.Question}
	summary := fmt.Sprintf("step %d: %s", t.step, call.Tool)
	return workflow.ExecuteActivity(onQueueOf(call, t.placed(forTool(ctx, t.priority, summary, call.Timeout))), run, in)
}

func (t *turn) awaitTools(ctx workflow.Context, tools []workflow.Future) {
	for _, tool := range tools {
		// If a tool could not be run, the store has no result, and the next step reports that to
		// the model.
		if err := tool.Get(ctx, nil); err != nil && !temporal.IsCanceledError(err) && !activities.IsClosed(err) {
			workflow.GetLogger(ctx).Warn("tool call failed", "session", string(t.session), "owner", string(t.owner), "error", err)
		}
	}
}

// await returns when every outcome that the turn waits for is there, when the time is over, or when
// the person writes. The other tasks continue.
func (t *turn) await(ctx workflow.Context) error {
	over := func() bool { return t.waits.over() || t.resume() || ctx.Err() != nil }
	if over() {
		return nil
	}
	var err error
	if t.waitsFor == 0 {
		if len(tasks(t.waits.waiting)) > 0 {
			t.asks() // not for questions: the watchdog repeats their signals
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
	in := wire.NotifyInput{Store: t.store, Rows: rows}
	// A stop must not cut off a reply that was committed.
	err := workflow.ExecuteActivity(forNotify(t.root), acts.Notify, in).Get(t.root, nil)
	if err != nil && !temporal.IsCanceledError(err) {
		// The rows stay in the outbox, and the watchdog handles them.
		workflow.GetLogger(ctx).Warn("notify failed", "session", string(t.session), "error", err)
		return nil
	}
	return err
}
