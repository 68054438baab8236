package workflows

import (
	"errors"
	"fmt"
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
		Place: place{Channel: t.Origin.Channel, Session: t.Origin.Session}, Settings: settings,
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

// A DelegationResult is the terminal state of the task.
type DelegationResult struct {
	State  errand.TaskState `json:"state"`
	Tokens int              `json:"tokens"`
	Cost   float64          `json:"cost"` // USD
}

// Delegation is one task from its start to its outcome: one SubAgent child for
// each agent it was given to. It always ends with an outcome in the store, and
// with whoever asked for it having been signalled.
func Delegation(ctx workflow.Context, in DelegationInput) (DelegationResult, error) {
	d := &delegation{in: in, ends: make([]SubAgentResult, len(in.Agents)), errs: make([]error, len(in.Agents))}
	d.listen(ctx)
	d.start(ctx)
	if err := workflow.Await(ctx, func() bool { return d.canceled || d.pending == 0 }); err != nil {
		d.canceled, d.reason = true, errand.ReasonCanceledInTemporal.Text()
	}
	return d.finish(ctx)
}

type delegation struct {
	in       DelegationInput
	children workflow.CancelFunc
	pending  int
	ends     []SubAgentResult // by agent, as in.Agents
	errs     []error
	canceled bool
	reason   string // given by the person who canceled
}

func (d *delegation) listen(ctx workflow.Context) {
	cancel := workflow.GetSignalChannel(ctx, SignalCancel)
	workflow.Go(ctx, func(ctx workflow.Context) {
		// A reason that is no string still cancels.
		var reason any
		if !cancel.Receive(ctx, &reason) {
			return
		}
		d.reason, _ = reason.(string)
		d.canceled = true
	})
}

func (d *delegation) start(ctx workflow.Context) {
	ctx, d.children = workflow.WithCancel(ctx)
	for i, agent := range d.in.Agents {
		opts := workflow.ChildWorkflowOptions{
			WorkflowID:          string(errand.SubAgentOwner(d.in.Task, agent)),
			WorkflowTaskTimeout: d.in.Settings.TaskTimeout,
			ParentClosePolicy:   enumspb.PARENT_CLOSE_POLICY_REQUEST_CANCEL,
			StaticSummary:       fmt.Sprintf("%s at work on %s", agent.Display(), d.in.Task),
			Priority:            temporal.Priority{PriorityKey: PriorityTasks},
		}
		if d.in.Settings.Attributes {
			opts.TypedSearchAttributes = temporal.NewSearchAttributes(append(d.in.Place.attributes(),
				attrAgent.ValueSet(string(agent)), attrDepth.ValueSet(int64(d.in.Depth)))...)
		}
		child := workflow.ExecuteChildWorkflow(workflow.WithChildOptions(ctx, opts), SubAgent, SubAgentInput{
			Store: d.in.Store, Task: d.in.Task, Agent: agent, Place: d.in.Place, Settings: d.in.Settings, Waited: d.in.Waited,
		})
		d.pending++
		workflow.Go(ctx, func(ctx workflow.Context) {
			d.errs[i] = child.Get(ctx, &d.ends[i])
			d.pending--
		})
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**%s** working, task `%s`", d.in.Summary(), d.in.Task))
}

// finish commits the outcome and tells whoever asked for it. When the task was
// canceled the row is closed first: from that moment no model call of the tree
// begins, whatever still runs. Then the children are canceled, and nobody waits
// for them.
func (d *delegation) finish(ctx workflow.Context) (DelegationResult, error) {
	state, reason := d.outcome()
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	res := DelegationResult{State: d.ended()}
	if res.State == "" {
		in := activities.FinishInput{Store: d.in.Store, Task: d.in.Task, State: state, Reason: reason}
		var out activities.FinishResult
		if err := workflow.ExecuteActivity(forStore(ctx, "finish"), acts.Finish, in).Get(ctx, &out); err != nil {
			return DelegationResult{}, err
		}
		d.children()
		res.State = out.State
	}
	for _, end := range d.ends {
		res.Tokens += end.Tokens
		res.Cost += end.Cost
	}
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**%s** %s, task `%s`\n\n%s",
		d.in.Summary(), res.State, d.in.Task, spent(res.Tokens, res.Cost)))
	if d.in.Settings.Attributes {
		if err := workflow.UpsertTypedSearchAttributes(ctx, attrState.ValueSet(string(res.State))); err != nil {
			return res, err
		}
	}
	return res, nil
}

// ended is how the task has ended already, with the report of its one agent; empty if
// it has not.
func (d *delegation) ended() errand.TaskState {
	if d.canceled || len(d.ends) != 1 || d.errs[0] != nil {
		return ""
	}
	return d.ends[0].Ended
}

// outcome decides the terminal state from how the sub-agents ended. The store
// composes the words.
func (d *delegation) outcome() (errand.TaskState, string) {
	if d.canceled {
		if d.reason == "" {
			d.reason = errand.ReasonCanceled.Text()
		}
		return errand.Canceled, errand.Cut(d.reason, 200)
	}
	completed := 0
	for i := range d.ends {
		if d.errs[i] == nil && d.ends[i].State == errand.Completed {
			completed++
		}
	}
	if completed > 0 {
		return errand.Completed, ""
	}
	for _, err := range d.errs {
		var terminated *temporal.TerminatedError
		switch {
		case errors.As(err, &terminated):
			return errand.Failed, errand.ReasonTerminated.Text()
		case temporal.IsCanceledError(err):
			return errand.Canceled, errand.ReasonCanceledInTemporal.Text()
		case err != nil:
			return errand.Failed, errand.ReasonBroken.Text()
		}
	}
	for i := range d.ends {
		if d.ends[i].State == errand.Canceled {
			return errand.Canceled, errand.ReasonCanceled.Text()
		}
	}
	return errand.Failed, ""
}
