package gateway

import (
	"context"

	"github.com/google/uuid"
	"go.temporal.io/sdk/client"

	enumspb "go.temporal.io/api/enums/v1"

	"errand"
	"errand/internal/store"
	"errand/workflows"
)

// Stop ends the running turn of a session and the tasks it waits for; with all,
// every open task of the session. Of a session that several share it ends, with
// whose, only what that person has asked for. It reports whether there was
// something.
func (g *Gateway) Stop(ctx context.Context, key errand.SessionKey, whose errand.PersonID, all bool) (bool, error) {
	// The rows are closed first: when it returns, no model call of the turn or of
	// those tasks begins any more.
	closed, err := g.Store.StopTurn(ctx, key, whose)
	if err != nil {
		return false, err
	}
	for _, t := range closed.Tasks {
		if err := g.StopTask(ctx, t.ID); err != nil {
			g.Logger.Warn("workflow of a stopped task not canceled", "task", t.ID, "error", err)
		}
	}
	if closed.Turn > 0 {
		// It names the turn: the session may be at the next by the time it hears of it.
		err := g.Client.SignalWorkflow(ctx, string(key), "", workflows.SignalStop, workflows.StopSignal{Session: closed.Session, Turn: closed.Turn})
		if err != nil && !isNotFound(err) {
			return closed.Any, err
		}
	}
	if !all {
		return closed.Any, nil
	}
	some, err := g.cancelAll(ctx, store.TaskFilter{Session: key, Person: whose}, "stopped")
	return closed.Any || some, err
}

// Reset ends the session id of a conversation and begins another.
func (g *Gateway) Reset(ctx context.Context, key errand.SessionKey) (errand.SessionID, error) {
	return g.resetFor(ctx, key, uuid.NewString(), workflows.ResetUpdate{})
}

// resetFor resets once for an id: a message that is delivered twice does not end
// two sessions, as long as the run of the workflow lasts.
func (g *Gateway) resetFor(ctx context.Context, key errand.SessionKey, id string, update workflows.ResetUpdate) (errand.SessionID, error) {
	var out workflows.ResetResult
	err := g.update(ctx, key, id, workflows.UpdateReset, update, &out)
	return out.New, err
}

// SetBusy sets the busy mode of a conversation.
func (g *Gateway) SetBusy(ctx context.Context, key errand.SessionKey, mode workflows.BusyMode) error {
	return g.setBusyFor(ctx, key, mode, uuid.NewString())
}

// setBusyFor sets it once for an id, see resetFor.
func (g *Gateway) setBusyFor(ctx context.Context, key errand.SessionKey, mode workflows.BusyMode, id string) error {
	return g.update(ctx, key, id, workflows.UpdateBusy, workflows.BusyUpdate{Mode: mode}, nil)
}

// update starts the session if need be: whoever gives a command need not have
// said anything before.
func (g *Gateway) update(ctx context.Context, key errand.SessionKey, id, name string, arg, result any) error {
	opts, in := g.session(key)
	opts.WorkflowIDConflictPolicy = enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING
	handle, err := g.Client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: g.Client.NewWithStartWorkflowOperation(opts, workflows.Session, in),
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
