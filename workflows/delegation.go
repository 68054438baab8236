package workflows

import (
	"errors"
	"fmt"
	"slices"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/internal/core"
	"errand/internal/decision"
	"errand/internal/temporal/wire"
)

// Delegation runs one task from its start to its outcome. It starts one child workflow for each
// agent, and its policy decides by their outcomes. It always ends with an outcome in the store, and
// signals the session or sub-agent that delegated the task. In Temporal it closes as Completed,
// Failed or Canceled, like the task; errand does not read that.
func Delegation(ctx workflow.Context, in wire.DelegationInput) (wire.DelegationResult, error) {
	d := &delegation{
		in: in, state: core.Working, ends: make([]wire.SubAgentResult, len(in.Agents)), outcomes: make([]core.Outcome, len(in.Agents)),
	}
	d.listen(ctx)
	if !d.decided() {
		d.start(ctx)
	}
	if err := workflow.Await(ctx, d.decided); err != nil {
		d.cancel(core.ReasonCanceledInTemporal.Text())
	}
	if err := workflow.Await(ctx, d.settled); err != nil {
		d.cancel(core.ReasonCanceledInTemporal.Text())
	}
	res, err := d.finish(ctx)
	if err != nil {
		return res, err
	}
	return res, closing(res)
}

func closing(r wire.DelegationResult) error {
	switch r.State {
	case core.Completed:
		return nil
	case core.Canceled:
		return temporal.NewCanceledError(r)
	}
	return temporal.NewNonRetryableApplicationError("the task is "+string(r.State), wire.FailureTask, nil, r)
}

type delegation struct {
	in       wire.DelegationInput
	state    core.TaskState // shown in Temporal
	children workflow.CancelFunc
	ends     []wire.SubAgentResult // in the order of in.Agents
	outcomes []core.Outcome        // in the same order
	decision *core.Decision        // the first one; nil: undecided
}

func (d *delegation) decided() bool {
	if d.decision == nil {
		if first, ok := decision.Decide(d.in.Policy, d.in.Agents, d.outcomes); ok {
			d.decision = &first
		}
	}
	return d.decision != nil
}

func (d *delegation) settled() bool {
	return d.decision.EndsRest || !slices.ContainsFunc(d.outcomes, func(o core.Outcome) bool { return !o.State.Terminal() })
}

func (d *delegation) cancel(why string) {
	if why == "" {
		why = core.ReasonCanceled.Text()
	}
	if !d.decided() || !d.settled() {
		d.decision = &core.Decision{State: core.Canceled, Why: why, EndsRest: true}
	}
}

func (d *delegation) listen(ctx workflow.Context) {
	cancel, deadline := workflow.GetSignalChannel(ctx, wire.SignalCancel), workflow.GetSignalChannel(ctx, wire.SignalDeadline)
	state := workflow.GetSignalChannel(ctx, wire.SignalState)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for workflow.Await(ctx, func() bool { return cancel.Len()+deadline.Len()+state.Len() > 0 }) == nil {
			var reason any
			if cancel.ReceiveAsync(&reason) {
				d.cancel(core.Cut(cancelReason(reason), 200))
			}
			if deadline.ReceiveAsync(nil) {
				d.overdue()
			}
			var sig wire.StateSignal
			if state.ReceiveAsync(&sig) && slices.Contains(core.OpenStates(), sig.State) {
				d.show(ctx, sig.State)
			}
		}
	})
}

// cancelReason reads the argument of a signal that a person may have sent by hand: a string, or an
// object with the field reason.
func cancelReason(sent any) string {
	if fields, ok := sent.(map[string]any); ok {
		sent = fields["reason"]
	}
	why, _ := sent.(string)
	return why
}

// show never changes the state of a task that has ended.
func (d *delegation) show(ctx workflow.Context, state core.TaskState) {
	if d.state == state || d.state.Terminal() {
		return
	}
	d.state = state
	details := fmt.Sprintf("**%s** %s, task `%s`", d.in.Summary(), state, d.in.Task)
	if state.Terminal() {
		res := d.result()
		details += "\n\n" + spent(res.Tokens, res.Cost)
	}
	workflow.SetCurrentDetails(ctx, details)
	if !d.in.Settings.Attributes {
		return
	}
	if err := workflow.UpsertTypedSearchAttributes(ctx, wire.AttrState.ValueSet(string(state))); err != nil {
		workflow.GetLogger(ctx).Warn("Temporal's list does not show the state of a task", "task", d.in.Task, "error", err)
	}
}

func (d *delegation) result() wire.DelegationResult {
	res := wire.DelegationResult{State: d.state}
	for _, end := range d.ends {
		res.Tokens += end.Tokens
		res.Cost += end.Cost
	}
	return res
}

func (d *delegation) overdue() {
	if !d.decided() {
		d.decision = &core.Decision{State: core.Completed}
	}
	d.decision.EndsRest = d.decision.EndsRest || !d.settled()
}

func (d *delegation) start(ctx workflow.Context) {
	ctx, d.children = workflow.WithCancel(ctx)
	for i := range d.in.Agents {
		child, err := d.startChild(ctx, i)
		if err != nil {
			d.outcomes[i] = core.Outcome{State: core.Failed, Why: err.Error()}
			continue
		}
		workflow.Go(ctx, func(ctx workflow.Context) {
			d.outcomes[i] = outcomeOf(child.Get(ctx, &d.ends[i]), &d.ends[i])
		})
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**%s** working, task `%s`", d.in.Summary(), d.in.Task))
}

func (d *delegation) startChild(ctx workflow.Context, i int) (workflow.ChildWorkflowFuture, error) {
	agent := d.in.Agents[i]
	kind := core.LocalAgent
	if i < len(d.in.Kinds) {
		kind = d.in.Kinds[i]
	}
	if kind != core.LocalAgent && !kind.IsRemote() {
		return nil, fmt.Errorf("%s %q of %s", core.ReasonUnknownKind.Text(), kind, agent.Display())
	}
	opts := workflow.ChildWorkflowOptions{
		WorkflowID:          string(core.SubAgentOwner(d.in.Task, agent)),
		TaskQueue:           wire.SubAgentQueue,
		WorkflowTaskTimeout: d.in.Settings.TaskTimeout,
		ParentClosePolicy:   enumspb.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
		StaticSummary:       fmt.Sprintf("%s at work on %s", agent.Display(), d.in.Task),
		Priority:            temporal.Priority{PriorityKey: wire.PriorityTasks},
	}
	if d.in.Settings.Attributes {
		opts.TypedSearchAttributes = temporal.NewSearchAttributes(append(d.in.Place.Attributes(),
			wire.AttrAgent.ValueSet(string(agent)), wire.AttrDepth.ValueSet(int64(d.in.Depth)))...)
	}
	ctx = workflow.WithChildOptions(ctx, opts)
	if kind == core.CodingAgent {
		return workflow.ExecuteChildWorkflow(ctx, CodingAgent, wire.CodingAgentInput{Store: d.in.Store, Task: d.in.Task, Agent: agent}), nil
	}
	if kind == core.RemoteAgent {
		return workflow.ExecuteChildWorkflow(ctx, RemoteAgent, wire.RemoteAgentInput{Store: d.in.Store, Task: d.in.Task, Agent: agent}), nil
	}
	return workflow.ExecuteChildWorkflow(ctx, SubAgent, wire.SubAgentInput{
		Store: d.in.Store, Task: d.in.Task, Agent: agent, Place: d.in.Place, Settings: d.in.Settings, Waited: d.in.Waited,
	}), nil
}

// finish commits the outcome and reports it. It closes the row of a canceled task first, so that no
// model call of the tree begins. Then it cancels the children without waiting for them.
func (d *delegation) finish(ctx workflow.Context) (wire.DelegationResult, error) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	state := d.ended()
	if state == "" {
		in := wire.FinishInput{Store: d.in.Store, Task: d.in.Task, State: d.decision.State, Reason: d.decision.Why,
			EndsRest: d.decision.EndsRest && d.decision.State == core.Completed}
		var out wire.FinishResult
		if err := workflow.ExecuteActivity(forStore(ctx, "finish"), acts.Finish, in).Get(ctx, &out); err != nil {
			return wire.DelegationResult{}, err
		}
		if d.decision.EndsRest && d.children != nil {
			d.children()
		}
		state = out.State
	}
	d.show(ctx, state)
	return d.result(), nil
}

func (d *delegation) ended() core.TaskState {
	if d.decision.EndsRest || len(d.ends) != 1 {
		return ""
	}
	return d.ends[0].Ended
}

// outcomeOf returns the outcome of a child workflow. A child that ended without a final state,
// because it found nothing to do, counts as failed. The store has its report.
func outcomeOf(err error, end *wire.SubAgentResult) core.Outcome {
	var terminated *temporal.TerminatedError
	switch {
	case errors.As(err, &terminated):
		return core.Outcome{State: core.Failed, Why: core.ReasonTerminated.Text()}
	case temporal.IsCanceledError(err):
		return core.Outcome{State: core.Canceled, Why: core.ReasonCanceledInTemporal.Text()}
	case err != nil:
		return core.Outcome{State: core.Failed, Why: core.ReasonBroken.Text()}
	case !end.State.Terminal():
		return core.Outcome{State: core.Failed, Verdict: end.Verdict}
	}
	return core.Outcome{State: end.State, Verdict: end.Verdict}
}
