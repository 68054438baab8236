package dispatch

import (
	"context"
	"errors"
	"slices"
	"strings"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"errand/internal/core"
)

// Forget deletes the histories of an ended session, of its tasks and of its closed runs of the
// Session workflow, as far as Temporal permits. It returns how many.
func (d *Dispatcher) Forget(ctx context.Context, key core.SessionKey, id core.SessionID, tasks []string) (int, error) {
	return d.ForgetRun(ctx, key, id, tasks, "")
}

// ForgetRun is like Forget, and deletes one more run of the Session workflow that may be too new
// for Temporal's list; empty: none.
func (d *Dispatcher) ForgetRun(ctx context.Context, key core.SessionKey, id core.SessionID, tasks []string, run string) (int, error) {
	n := 0
	remove := func(workflow, run string) error {
		gone, err := d.deleteHistory(ctx, workflow, run)
		if gone {
			n++
		}
		return err
	}
	for _, id := range tasks {
		if err := remove(id, ""); err != nil {
			return n, err
		}
	}
	if id == "" {
		return n, nil
	}
	runs, err := d.runsOf(ctx, key, id)
	if err != nil {
		return n, err
	}
	if run != "" && !slices.Contains(runs, run) {
		runs = append(runs, run)
	}
	for _, run := range runs {
		if err := remove(string(key), run); err != nil {
			return n, err
		}
	}
	return n, nil
}

// runsOf returns the closed runs of a session's workflow. Without search attributes it returns
// those of the whole conversation, but only if the store has no other session of it.
func (d *Dispatcher) runsOf(ctx context.Context, key core.SessionKey, id core.SessionID) ([]string, error) {
	query := "WorkflowId = " + quote(string(key)) + " AND ExecutionStatus != 'Running'"
	if d.settings.Attributes {
		query += " AND ErrandSession = " + quote(string(id))
	} else if others, err := d.store.OtherSessions(ctx, key, id); err != nil || others {
		return nil, err
	}
	var runs []string
	err := d.list(ctx, query, 100, func(w *commonpb.WorkflowExecution) { runs = append(runs, w.GetRunId()) })
	return runs, err
}

// deleteHistory has Temporal delete a workflow, which happens later. A running one is terminated.
func (d *Dispatcher) deleteHistory(ctx context.Context, workflow, run string) (bool, error) {
	_, err := d.client.WorkflowService().DeleteWorkflowExecution(ctx, &workflowservice.DeleteWorkflowExecutionRequest{
		Namespace: d.namespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: workflow, RunId: run},
	})
	var denied *serviceerror.PermissionDenied
	var unknown *serviceerror.Unimplemented
	switch {
	case isNotFound(err):
		return false, nil
	case errors.As(err, &denied), errors.As(err, &unknown):
		// The history has only ids and titles of tasks, and Temporal's retention will delete it.
		d.log.Warn("history not deleted", "workflow", workflow, "error", err)
		return false, nil
	}
	return err == nil, err
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
