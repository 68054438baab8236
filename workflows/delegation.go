package workflows

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/activities"
)

// NewDelegationInput is the input for a task that no workflow delegated.
func NewDelegationInput(store string, t errand.Task, settings Settings) DelegationInput {
	if !settings.Titles {
		t.Title = ""
	}
	return DelegationInput{
		Store: store, Task: t.ID, Agents: t.Agents, Title: t.Title, Depth: t.Origin.Depth,
		Place: place{Channel: t.Origin.Channel, Session: t.Origin.Session}, Settings: settings, Policy: t.Policy,
	}
}

// Details are what the Web UI shows of who delegated the task: the workflow that did is
// not its parent.
func (in *DelegationInput) Details(t errand.Task) string {
	var b strings.Builder
	if t.Caller.Owner != "" {
		fmt.Fprintf(&b, "delegated by **%s** in turn %d, step %d of `%s`", t.From.Display(), t.Caller.Turn, t.Caller.Step, t.Caller.Owner)
	}
	if t.Origin.SessionKey != "" {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "for session workflow `%s`", t.Origin.SessionKey)
	}
	return b.String()
}

// Summary is the line the Web UI shows: "Sasha: night trains to Oslo".
func (in *DelegationInput) Summary() string {
	names := make([]string, len(in.Agents))
	for i, a := range in.Agents {
		names[i] = a.Display()
	}
	line := strings.Join(names, ", ")
	if in.Settings.Titles && in.Title != "" {
		line += ": " + in.Title
	}
	return line
}

// SearchAttributes are those the Delegation is started with.
func (in *DelegationInput) SearchAttributes() temporal.SearchAttributes {
	updates := []temporal.SearchAttributeUpdate{
		attrState.ValueSet(string(errand.Working)), attrDepth.ValueSet(int64(in.Depth)),
	}
	if len(in.Agents) > 0 {
		updates = append(updates, attrAgent.ValueSet(string(in.Agents[0])))
	}
	if in.Title != "" {
		updates = append(updates, attrTitle.ValueSet(in.Title))
	}
	return temporal.NewSearchAttributes(append(updates, in.Place.attributes()...)...)
}

func (p place) attributes() []temporal.SearchAttributeUpdate {
	var updates []temporal.SearchAttributeUpdate
	if p.Channel != "" {
		updates = append(updates, attrChannel.ValueSet(p.Channel))
	}
	if p.Session != "" {
		updates = append(updates, attrSession.ValueSet(string(p.Session)))
	}
	return updates
}

// A DelegationResult is the terminal state of the task. It is the result of a Delegation that
// completed, and the details of the failure or cancellation of any other.
type DelegationResult struct {
	State  errand.TaskState `json:"state"`
	Tokens int              `json:"tokens"`
	Cost   float64          `json:"cost"` // USD
}

// Delegation is one task from its start to its outcome: one child for each agent it
// was given to, and what its policy decides by how they end. It always ends with an
// outcome in the store, and it signals the session or sub-agent that delegated it. Temporal
// shows it as Completed, Failed or Canceled, as the task is. Nothing in errand reads that.
func Delegation(ctx workflow.Context, in DelegationInput) (DelegationResult, error) {
	d := &delegation{
		in: in, state: errand.Working, ends: make([]SubAgentResult, len(in.Agents)), outcomes: make([]errand.Outcome, len(in.Agents)),
	}
	d.listen(ctx)
	if !d.decided() {
		d.start(ctx)
	}
	if err := workflow.Await(ctx, d.decided); err != nil {
		d.cancel(errand.ReasonCanceledInTemporal.Text())
	}
	if err := workflow.Await(ctx, d.settled); err != nil {
		d.cancel(errand.ReasonCanceledInTemporal.Text())
	}
	res, err := d.finish(ctx)
	if err != nil {
		return res, err
	}
	return res, res.closing()
}

// closing is the error that closes the workflow: nil if the task has completed. No retry
// policy starts the workflow again.
func (r DelegationResult) closing() error {
	switch r.State {
	case errand.Completed:
		return nil
	case errand.Canceled:
		return temporal.NewCanceledError(r)
	}
	return temporal.NewNonRetryableApplicationError("the task is "+string(r.State), FailureTask, nil, r)
}

type delegation struct {
	in       DelegationInput
	state    errand.TaskState // that Temporal shows
	children workflow.CancelFunc
	ends     []SubAgentResult // by agent, as in.Agents
	outcomes []errand.Outcome // likewise
	decision *errand.Decision // the first one; nil: undecided
}

// decided reports whether the task is decided: by its policy, or because it was
// canceled.
func (d *delegation) decided() bool {
	if d.decision == nil {
		if decision, ok := d.in.Policy.Decide(d.in.Agents, d.outcomes); ok {
			d.decision = &decision
		}
	}
	return d.decision != nil
}

// settled reports whether nothing is waited for any more: what is decided ends the rest,
// or the rest has ended.
func (d *delegation) settled() bool {
	return d.decision.EndsRest || !slices.ContainsFunc(d.outcomes, func(o errand.Outcome) bool { return !o.State.Terminal() })
}

// cancel decides the task, unless it is decided and has nothing to wait for.
func (d *delegation) cancel(why string) {
	if why == "" {
		why = errand.ReasonCanceled.Text()
	}
	if !d.decided() || !d.settled() {
		d.decision = &errand.Decision{State: errand.Canceled, Why: why, EndsRest: true}
	}
}

func (d *delegation) listen(ctx workflow.Context) {
	cancel, deadline := workflow.GetSignalChannel(ctx, SignalCancel), workflow.GetSignalChannel(ctx, SignalDeadline)
	state := workflow.GetSignalChannel(ctx, SignalState)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for workflow.Await(ctx, func() bool { return cancel.Len()+deadline.Len()+state.Len() > 0 }) == nil {
			var reason any
			if cancel.ReceiveAsync(&reason) {
				d.cancel(errand.Cut(cancelReason(reason), 200))
			}
			if deadline.ReceiveAsync(nil) {
				d.overdue()
			}
			var sig StateSignal
			if state.ReceiveAsync(&sig) && slices.Contains(errand.OpenStates(), sig.State) {
				d.show(ctx, sig.State)
			}
		}
	})
}

// cancelReason is the reason in the argument of a cancel signal, which people send by hand: a
// string, or an object with the field reason. Anything else cancels without a reason.
func cancelReason(sent any) string {
	if fields, ok := sent.(map[string]any); ok {
		sent = fields["reason"]
	}
	why, _ := sent.(string)
	return why
}

// show has Temporal's list show the state of the task. The state of a task that has ended
// stays.
func (d *delegation) show(ctx workflow.Context, state errand.TaskState) {
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
	if err := workflow.UpsertTypedSearchAttributes(ctx, attrState.ValueSet(string(state))); err != nil {
		workflow.GetLogger(ctx).Warn("Temporal's list does not show the state of a task", "task", d.in.Task, "error", err)
	}
}

func (d *delegation) result() DelegationResult {
	res := DelegationResult{State: d.state}
	for _, end := range d.ends {
		res.Tokens += end.Tokens
		res.Cost += end.Cost
	}
	return res
}

func (d *delegation) overdue() {
	if !d.decided() {
		d.decision = &errand.Decision{State: errand.Completed}
	}
	d.decision.EndsRest = d.decision.EndsRest || !d.settled()
}

func (d *delegation) start(ctx workflow.Context) {
	ctx, d.children = workflow.WithCancel(ctx)
	for i := range d.in.Agents {
		child, err := d.startChild(ctx, i)
		if err != nil {
			d.outcomes[i] = errand.Outcome{State: errand.Failed, Why: err.Error()}
			continue
		}
		workflow.Go(ctx, func(ctx workflow.Context) {
			d.outcomes[i] = outcomeOf(child.Get(ctx, &d.ends[i]), &d.ends[i])
		})
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**%s** working, task `%s`", d.in.Summary(), d.in.Task))
}

// startChild starts the workflow that is at work for an agent: which one, its kind
// says.
func (d *delegation) startChild(ctx workflow.Context, i int) (workflow.ChildWorkflowFuture, error) {
	agent := d.in.Agents[i]
	kind := errand.LocalAgent
	if i < len(d.in.Kinds) {
		kind = d.in.Kinds[i]
	}
	if kind != errand.LocalAgent && !kind.IsRemote() {
		return nil, fmt.Errorf("%s %q of %s", errand.ReasonUnknownKind.Text(), kind, agent.Display())
	}
	opts := workflow.ChildWorkflowOptions{
		WorkflowID:          string(errand.SubAgentOwner(d.in.Task, agent)),
		TaskQueue:           SubAgentQueue,
		WorkflowTaskTimeout: d.in.Settings.TaskTimeout,
		ParentClosePolicy:   enumspb.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
		StaticSummary:       fmt.Sprintf("%s at work on %s", agent.Display(), d.in.Task),
		Priority:            temporal.Priority{PriorityKey: PriorityTasks},
	}
	if d.in.Settings.Attributes {
		opts.TypedSearchAttributes = temporal.NewSearchAttributes(append(d.in.Place.attributes(),
			attrAgent.ValueSet(string(agent)), attrDepth.ValueSet(int64(d.in.Depth)))...)
	}
	ctx = workflow.WithChildOptions(ctx, opts)
	if kind == errand.CodingAgent {
		return workflow.ExecuteChildWorkflow(ctx, CodingAgent, CodingAgentInput{Store: d.in.Store, Task: d.in.Task, Agent: agent}), nil
	}
	if kind == errand.RemoteAgent {
		return workflow.ExecuteChildWorkflow(ctx, RemoteAgent, RemoteAgentInput{Store: d.in.Store, Task: d.in.Task, Agent: agent}), nil
	}
	return workflow.ExecuteChildWorkflow(ctx, SubAgent, SubAgentInput{
		Store: d.in.Store, Task: d.in.Task, Agent: agent, Place: d.in.Place, Settings: d.in.Settings, Waited: d.in.Waited,
	}), nil
}

// finish commits the outcome and tells whoever asked for it. When the task was
// canceled the row is closed first: from that moment no model call of the tree
// begins, whatever still runs. Then the children are canceled, and nobody waits
// for them.
func (d *delegation) finish(ctx workflow.Context) (DelegationResult, error) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	state := d.ended()
	if state == "" {
		in := activities.FinishInput{Store: d.in.Store, Task: d.in.Task, State: d.decision.State, Reason: d.decision.Why,
			EndsRest: d.decision.EndsRest && d.decision.State == errand.Completed}
		var out activities.FinishResult
		if err := workflow.ExecuteActivity(forStore(ctx, "finish"), acts.Finish, in).Get(ctx, &out); err != nil {
			return DelegationResult{}, err
		}
		if d.decision.EndsRest && d.children != nil {
			d.children()
		}
		state = out.State
	}
	d.show(ctx, state)
	return d.result(), nil
}

// ended is how the task has ended already, with the report of its one agent; empty if
// it has not.
func (d *delegation) ended() errand.TaskState {
	if d.decision.EndsRest || len(d.ends) != 1 {
		return ""
	}
	return d.ends[0].Ended
}

// outcomeOf is how an agent's part has ended whose workflow returned end and err. The
// words of a report are in the store; one that found nothing to do has failed.
func outcomeOf(err error, end *SubAgentResult) errand.Outcome {
	var terminated *temporal.TerminatedError
	switch {
	case errors.As(err, &terminated):
		return errand.Outcome{State: errand.Failed, Why: errand.ReasonTerminated.Text()}
	case temporal.IsCanceledError(err):
		return errand.Outcome{State: errand.Canceled, Why: errand.ReasonCanceledInTemporal.Text()}
	case err != nil:
		return errand.Outcome{State: errand.Failed, Why: errand.ReasonBroken.Text()}
	case !end.State.Terminal():
		return errand.Outcome{State: errand.Failed, Verdict: end.Verdict}
	}
	return errand.Outcome{State: end.State, Verdict: end.Verdict}
}
