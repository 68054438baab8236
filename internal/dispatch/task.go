package dispatch

import (
	"context"
	"errors"

	enumspb "go.temporal.io/api/enums/v1"

	"errand"
	"errand/workflows"
)

// StartTask starts the Delegation of a task, unless it has been started. Its first
// workflow task comes with Temporal's answer, where this process can run it. waited
// says that somebody sits and waits for what comes of it.
func (d *Dispatcher) StartTask(ctx context.Context, t errand.Task, waited bool) error {
	in := workflows.NewDelegationInput(d.store.ID(), t, d.settings)
	kinds, err := d.kinds(ctx, t)
	if err != nil {
		return err
	}
	in.Waited, in.Kinds = waited, kinds
	opts := d.options(string(t.ID), in.Summary())
	opts.StaticDetails = in.Details(t)
	opts.EnableEagerStart = true
	opts.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	opts.Priority = workflows.ForTask(t.Origin.Person)
	if d.settings.Attributes {
		opts.TypedSearchAttributes = in.SearchAttributes()
	}
	return d.start(ctx, opts, workflows.Delegation, in)
}

// kinds are those of the agents of a task; nil where all are local, as a run without kinds
// takes it. One that the person has registered is a remote one.
func (d *Dispatcher) kinds(ctx context.Context, t errand.Task) ([]errand.AgentKind, error) {
	if d.kindOf == nil {
		return nil, nil
	}
	list, local := make([]errand.AgentKind, len(t.Agents)), true
	for i, a := range t.Agents {
		if list[i] = d.kindOf(a); list[i] == "" {
			registered, err := d.store.IsRegistered(ctx, t.Origin.Person, a)
			if err != nil {
				return nil, err
			}
			if list[i] = errand.LocalAgent; registered { // one that has left the roster fails by itself
				list[i] = errand.RemoteAgent
			}
		}
		local = local && list[i] == errand.LocalAgent
	}
	if local {
		return nil, nil
	}
	return list, nil
}

// StopTask cancels the workflow of a task whose row is closed.
func (d *Dispatcher) StopTask(ctx context.Context, id errand.TaskID) error {
	return d.cancel(ctx, string(id))
}

// StopSubAgent cancels what an agent of a task does: nothing ends it with the
// workflow of the task.
func (d *Dispatcher) StopSubAgent(ctx context.Context, id errand.TaskID, agent errand.AgentName) error {
	return d.cancel(ctx, string(errand.SubAgentOwner(id, agent)))
}

// TaskSteered tells agents of a task that a row was added to it. heard is false if the
// workflow of one is not there, or not yet: its next step finds the row in the store.
func (d *Dispatcher) TaskSteered(ctx context.Context, id errand.TaskID, agents []errand.AgentName, row int64) (heard bool, err error) {
	var errs []error
	heard = true
	for _, a := range agents {
		err := d.client.SignalWorkflow(ctx, string(errand.SubAgentOwner(id, a)), "", workflows.SignalSteer, workflows.SteerSignal{Row: row})
		heard = heard && err == nil
		errs = append(errs, found(err))
	}
	return heard, errors.Join(errs...)
}

// TaskFinished tells whoever delegated t that its outcome is in the store: the
// sub-agent that joins it, or the session of its origin, which is started if it
// does not run. The programs that asked to be told are told by workflows of their own.
func (d *Dispatcher) TaskFinished(ctx context.Context, t errand.Task) error {
	if err := d.StartWebhooks(ctx, t); err != nil {
		return err
	}
	sig := workflows.TaskFinishedSignal{Task: t.ID, FollowedBy: t.FollowedBy, Late: t.Late != ""}
	if _, _, ok := t.Caller.Owner.Task(); ok {
		err := d.client.SignalWorkflow(ctx, string(t.Caller.Owner), "", workflows.SignalTaskFinished, sig)
		if isNotFound(err) {
			// The sub-agent is gone, and its own task with it: nobody waits.
			d.log.Warn("task finished and nobody waits for it", "task", t.ID)
			return nil
		}
		return err
	}
	if t.Origin.SessionKey == "" {
		return nil
	}
	return d.signalSession(ctx, t.Origin.SessionKey, workflows.SignalTaskFinished, sig)
}

// DeadlinePassed tells the workflow of a task to end with what is there. heard is false if
// it does not run.
func (d *Dispatcher) DeadlinePassed(ctx context.Context, id errand.TaskID) (heard bool, err error) {
	err = d.client.SignalWorkflow(ctx, string(id), "", workflows.SignalDeadline, nil)
	return err == nil, found(err)
}

// ShowTaskState has Temporal's list show the state of an open task. A task whose workflow
// does not run has nothing to show.
func (d *Dispatcher) ShowTaskState(ctx context.Context, id errand.TaskID) error {
	task, err := d.store.Task(ctx, id)
	if err != nil || task.State.Terminal() {
		return err
	}
	return found(d.client.SignalWorkflow(ctx, string(id), "", workflows.SignalState, workflows.StateSignal{State: task.State}))
}
