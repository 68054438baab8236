package dispatch

import (
	"context"
	"errors"

	enumspb "go.temporal.io/api/enums/v1"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// StartTask starts the Delegation of a task once. If this process can run the first workflow task,
// Temporal sends it in the response. waited means that a person waits for the result.
func (d *Dispatcher) StartTask(ctx context.Context, t core.Task, waited bool) error {
	in := wire.NewDelegationInput(d.store.ID(), t, d.settings)
	kinds, err := d.kinds(ctx, t)
	if err != nil {
		return err
	}
	in.Waited, in.Kinds = waited, kinds
	opts := d.options(string(t.ID), in.Summary())
	opts.StaticDetails = in.Details(t)
	opts.EnableEagerStart = true
	opts.WorkflowIDReusePolicy = enumspb.WORKFLOW_ID_REUSE_POLICY_REJECT_DUPLICATE
	opts.Priority = wire.ForTask(t.Origin.Person)
	if d.settings.Attributes {
		opts.TypedSearchAttributes = in.SearchAttributes()
	}
	return d.start(ctx, opts, wire.DelegationWorkflow, in)
}

// kinds returns nil if all agents are local. Registered agents are remote.
func (d *Dispatcher) kinds(ctx context.Context, t core.Task) ([]core.AgentKind, error) {
	if d.kindOf == nil {
		return nil, nil
	}
	list, local := make([]core.AgentKind, len(t.Agents)), true
	for i, a := range t.Agents {
		if list[i] = d.kindOf(a); list[i] == "" {
			registered, err := d.store.IsRegistered(ctx, t.Origin.Person, a)
			if err != nil {
				return nil, err
			}
			if list[i] = core.LocalAgent; registered { // an agent that was removed from the roster fails later
				list[i] = core.RemoteAgent
			}
		}
		local = local && list[i] == core.LocalAgent
	}
	if local {
		return nil, nil
	}
	return list, nil
}

// StopTask cancels the workflow of a task whose row is closed.
func (d *Dispatcher) StopTask(ctx context.Context, id core.TaskID) error {
	return d.cancel(ctx, string(id))
}

// StopSubAgent cancels the work of one agent, which does not end with the task's workflow.
func (d *Dispatcher) StopSubAgent(ctx context.Context, id core.TaskID, agent core.AgentName) error {
	return d.cancel(ctx, string(core.SubAgentOwner(id, agent)))
}

// TaskSteered signals a new row of a task to its agents. heard is false if a workflow does not run:
// its next step finds the row in the store.
func (d *Dispatcher) TaskSteered(ctx context.Context, id core.TaskID, agents []core.AgentName, row int64) (heard bool, err error) {
	var errs []error
	heard = true
	for _, a := range agents {
		err := d.client.SignalWorkflow(ctx, string(core.SubAgentOwner(id, a)), "", wire.SignalSteer, wire.SteerSignal{Row: row})
		heard = heard && err == nil
		errs = append(errs, found(err))
	}
	return heard, errors.Join(errs...)
}

// TaskFinished signals to the caller of t that its outcome is in the store: to the sub-agent that
// joins it, or to the session of its origin, which is started if needed. It also starts the task's
// webhooks.
func (d *Dispatcher) TaskFinished(ctx context.Context, t core.Task) error {
	if err := d.StartWebhooks(ctx, t); err != nil {
		return err
	}
	sig := wire.TaskFinishedSignal{Task: t.ID, FollowedBy: t.FollowedBy, Late: t.Late != ""}
	if _, _, ok := t.Caller.Owner.Task(); ok {
		err := d.client.SignalWorkflow(ctx, string(t.Caller.Owner), "", wire.SignalTaskFinished, sig)
		if isNotFound(err) {
			// The sub-agent has ended with its own task, so it does not wait.
			d.log.Warn("task finished and nobody waits for it", "task", t.ID)
			return nil
		}
		return err
	}
	if t.Origin.SessionKey == "" {
		return nil
	}
	return d.signalSession(ctx, t.Origin.SessionKey, wire.SignalTaskFinished, sig)
}

// DeadlinePassed ends a task with the outcomes so far. heard is false if its workflow does not run.
func (d *Dispatcher) DeadlinePassed(ctx context.Context, id core.TaskID) (heard bool, err error) {
	err = d.client.SignalWorkflow(ctx, string(id), "", wire.SignalDeadline, nil)
	return err == nil, found(err)
}

// ShowTaskState updates the state of a running task in Temporal's list.
func (d *Dispatcher) ShowTaskState(ctx context.Context, id core.TaskID) error {
	task, err := d.store.Task(ctx, id)
	if err != nil || task.State.Terminal() {
		return err
	}
	return found(d.client.SignalWorkflow(ctx, string(id), "", wire.SignalState, wire.StateSignal{State: task.State}))
}
