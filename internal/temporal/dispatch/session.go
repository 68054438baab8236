package dispatch

import (
	"context"
	"fmt"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// WakeSession signals a session that its inbox has a new row or, with row 0, that there is other
// work. It starts the session if needed.
func (d *Dispatcher) WakeSession(ctx context.Context, key core.SessionKey, row int64) error {
	return d.signalSession(ctx, key, wire.SignalMessage, wire.MessageSignal{Row: row})
}

// StopTurn ends a turn of a session after its rows were closed. It names the turn, because the
// workflow may have begun the next one.
func (d *Dispatcher) StopTurn(ctx context.Context, key core.SessionKey, id core.SessionID, turn int) error {
	return found(d.client.SignalWorkflow(ctx, string(key), "", wire.SignalStop, wire.StopSignal{Session: id, Turn: turn}))
}

// ResetSession ends the session id of a conversation and begins another. Within one run of the
// workflow, an update id takes effect only once.
func (d *Dispatcher) ResetSession(ctx context.Context, key core.SessionKey, update string, arg wire.ResetUpdate) (core.SessionID, error) {
	var out wire.ResetResult
	err := d.updateSession(ctx, key, update, wire.UpdateReset, arg, &out)
	return out.New, err
}

// SetBusy sets the busy mode of a conversation. An update id takes effect only once.
func (d *Dispatcher) SetBusy(ctx context.Context, key core.SessionKey, update string, mode wire.BusyMode) error {
	return d.updateSession(ctx, key, update, wire.UpdateBusy, wire.BusyUpdate{Mode: mode}, nil)
}

// TerminateSession terminates the workflow of a conversation if it runs for the session id. It
// returns the run, or "" if it did not. If the workflow does not answer, it counts as running for
// the current session: after a wrong termination the session continues from its rows.
func (d *Dispatcher) TerminateSession(ctx context.Context, key core.SessionKey, id core.SessionID, current bool, reason string) (run string, err error) {
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

func (d *Dispatcher) runsFor(ctx context.Context, key core.SessionKey, run string, id core.SessionID, silent bool) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var now wire.Status
	answer, err := d.client.QueryWorkflow(ctx, string(key), run, wire.QueryStatus)
	if err == nil {
		err = answer.Get(&now)
	}
	if err != nil || now.Session == "" {
		return silent
	}
	return now.Session == id
}

func (d *Dispatcher) signalSession(ctx context.Context, key core.SessionKey, signal string, arg any) error {
	opts, in := d.session(key)
	if _, err := d.client.SignalWithStartWorkflow(ctx, string(key), signal, arg, opts, wire.SessionWorkflow, in); err != nil {
		return fmt.Errorf("signal %s to session: %w", signal, err)
	}
	return nil
}

// updateSession starts the session if needed, because a command may be a person's first message.
func (d *Dispatcher) updateSession(ctx context.Context, key core.SessionKey, id, name string, arg, result any) error {
	opts, in := d.session(key)
	opts.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	handle, err := d.client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: d.client.NewWithStartWorkflowOperation(opts, wire.SessionWorkflow, in),
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

func (d *Dispatcher) session(key core.SessionKey) (client.StartWorkflowOptions, wire.SessionInput) {
	route, person, err := key.Parse()
	if err != nil {
		// NewSessionKey makes all keys. A damaged one still has a workflow.
		d.log.Warn("session key not understood", "session", key, "error", err)
	}
	opts := d.options(string(key), fmt.Sprintf("%s on %s, chat %s", person, route.Channel, route.Chat))
	opts.TaskQueue = wire.TurnQueue
	opts.Priority = temporal.Priority{PriorityKey: wire.PriorityPeople}
	return opts, wire.SessionInput{Store: d.store.ID(), Key: key, Settings: d.settings}
}
