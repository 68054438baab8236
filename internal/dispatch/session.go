package dispatch

import (
	"context"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"errand"
	"errand/workflows"
)

// WakeSession tells a session that its inbox has a row, and starts it if it does
// not run; row 0: that it has something to go on with.
func (d *Dispatcher) WakeSession(ctx context.Context, key errand.SessionKey, row int64) error {
	return d.signalSession(ctx, key, workflows.SignalMessage, workflows.MessageSignal{Row: row})
}

// StopTurn ends a turn of a session whose rows are closed. It names the turn: the
// workflow may be at the next by the time it hears of it.
func (d *Dispatcher) StopTurn(ctx context.Context, key errand.SessionKey, id errand.SessionID, turn int) error {
	return found(d.client.SignalWorkflow(ctx, string(key), "", workflows.SignalStop, workflows.StopSignal{Session: id, Turn: turn}))
}

// ResetSession ends the session id of a conversation and begins another. The update
// happens once for its id, as long as the run of the workflow lasts.
func (d *Dispatcher) ResetSession(ctx context.Context, key errand.SessionKey, update string, arg workflows.ResetUpdate) (errand.SessionID, error) {
	var out workflows.ResetResult
	err := d.updateSession(ctx, key, update, workflows.UpdateReset, arg, &out)
	return out.New, err
}

// SetBusy sets the busy mode of a conversation, once for the id of the update.
func (d *Dispatcher) SetBusy(ctx context.Context, key errand.SessionKey, update string, mode workflows.BusyMode) error {
	return d.updateSession(ctx, key, update, workflows.UpdateBusy, workflows.BusyUpdate{Mode: mode}, nil)
}

// TerminateSession terminates the workflow of a conversation if it runs for the
// session, and returns its run; empty if it does not. A workflow that does not say
// what it runs for is taken to run for the session if it was the current one: what
// is terminated by mistake goes on from its rows.
func (d *Dispatcher) TerminateSession(ctx context.Context, key errand.SessionKey, id errand.SessionID, current bool, reason string) (run string, err error) {
	desc, err := d.client.DescribeWorkflowExecution(ctx, string(key), "")
	if err != nil {
		return "", found(err)
	}
	info := desc.GetWorkflowExecutionInfo()
	run = info.GetExecution().GetRunId()
	if !isRunning(info.GetStatus()) || !d.runsFor(ctx, key, run, id, current) {
		return "", nil
	}
	if err := found(d.client.TerminateWorkflow(ctx, string(key), run, reason)); err != nil {
		return "", err
	}
	return run, nil
}

// runsFor asks a Session workflow whether it runs for a session; silent is the
// answer of one that gives none.
func (d *Dispatcher) runsFor(ctx context.Context, key errand.SessionKey, run string, id errand.SessionID, silent bool) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var now workflows.Status
	answer, err := d.client.QueryWorkflow(ctx, string(key), run, workflows.QueryStatus)
	if err == nil {
		err = answer.Get(&now)
	}
	if err != nil || now.Session == "" {
		return silent
	}
	return now.Session == id
}

func (d *Dispatcher) signalSession(ctx context.Context, key errand.SessionKey, signal string, arg any) error {
	opts, in := d.session(key)
	if _, err := d.client.SignalWithStartWorkflow(ctx, string(key), signal, arg, opts, workflows.Session, in); err != nil {
		return fmt.Errorf("signal %s to session: %w", signal, err)
	}
	return nil
}

// updateSession starts the session if need be: whoever gives a command need not
// have said anything before.
func (d *Dispatcher) updateSession(ctx context.Context, key errand.SessionKey, id, name string, arg, result any) error {
	opts, in := d.session(key)
	opts.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	handle, err := d.client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: d.client.NewWithStartWorkflowOperation(opts, workflows.Session, in),
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateID: id, WorkflowID: string(key), UpdateName: name, Args: []any{arg},
			WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err != nil {
		return err
	}
	return handle.Get(ctx, result)
}

func (d *Dispatcher) session(key errand.SessionKey) (client.StartWorkflowOptions, workflows.SessionInput) {
	route, person, err := key.Parse()
	if err != nil {
		// Keys are made by NewSessionKey; a damaged one still has a workflow.
		d.log.Warn("session key not understood", "session", key, "error", err)
	}
	opts := d.options(string(key), fmt.Sprintf("%s on %s, chat %s", person, route.Channel, route.Chat))
	opts.TaskQueue = workflows.TurnQueue
	opts.Priority = temporal.Priority{PriorityKey: workflows.PriorityPeople}
	return opts, workflows.SessionInput{Store: d.store.ID(), Key: key, Settings: d.settings}
}
