package gateway

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"

	"errand"
	"errand/internal/store"
	"errand/workflows"
)

// A Deleted says what the deletion of a session removed.
type Deleted struct {
	Session   errand.SessionID `json:"session_id"`
	Rows      store.Deleted    `json:"rows"`            // by kind
	Tasks     []errand.TaskID  `json:"tasks,omitempty"` // that were deleted with it
	Histories int              `json:"histories"`       // of workflows, in Temporal
}

// DeleteSession deletes a session for good: its rows, its words in the index,
// what was remembered in it, and the histories of its workflows. Everybody may
// delete what is their own; a master_admin anything. While tasks of it are at
// work it is refused, unless force cancels them.
//
// The session ends first, so that nothing is added; then go the histories, and
// the rows last: a deletion that was cut off can be repeated, and maintenance
// finishes it.
func (g *Gateway) DeleteSession(ctx context.Context, by Actor, id errand.SessionID, force bool) (Deleted, error) {
	found, err := g.FindSession(ctx, by, string(id))
	if err != nil {
		return Deleted{}, err
	}
	if found.Person != by.Person && !by.Role.Includes(errand.MasterAdmin) {
		return Deleted{}, forbidden("only the role %s may delete the session of somebody else", g.Rights.Name(errand.MasterAdmin))
	}
	doomed, err := g.Store.CondemnSession(ctx, found.ID, force)
	if errors.Is(err, store.ErrOpenTasks) {
		return Deleted{}, &Error{http.StatusConflict, "open_tasks", "the session cannot be deleted: " + err.Error() + "; cancel them, or delete it by force"}
	}
	if err != nil {
		return Deleted{}, known(err)
	}
	out := Deleted{Session: found.ID}
	for _, t := range doomed.Tasks {
		out.Tasks = append(out.Tasks, t.ID)
	}
	run, err := g.endRun(ctx, doomed)
	if err != nil {
		return out, err
	}
	if out.Histories, err = g.forget(ctx, doomed.Session.Key, found.ID, doomed.Workflows(), run); err != nil {
		return out, err
	}
	out.Rows, err = g.Store.DeleteSession(ctx, found.ID, nil)
	if err != nil && !errors.Is(err, store.ErrNotFound) { // somebody else has finished it
		return out, err
	}
	g.scrub(ctx)
	g.Logger.Info("session deleted", "session", found.ID, "tasks", len(out.Tasks), "histories", out.Histories)
	return out, g.wakeWaiting(ctx, doomed.Session.Key)
}

// scrubFor is how long a deletion waits for its words to be gone from the files,
// too. Where the index is so large that it takes longer, maintenance does it.
const scrubFor = 5 * time.Second

func (g *Gateway) scrub(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, scrubFor)
	defer cancel()
	if err := g.Store.Scrub(ctx, nil); err != nil {
		g.Logger.Warn("deleted words are still in the files of the store; maintenance removes them", "error", err)
	}
}

// endRun terminates the Session workflow if it runs for the session that is
// being deleted, and returns its run; empty if it does not.
func (g *Gateway) endRun(ctx context.Context, d store.Doomed) (string, error) {
	desc, err := g.Client.DescribeWorkflowExecution(ctx, string(d.Session.Key), "")
	if isNotFound(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	info := desc.GetWorkflowExecutionInfo()
	run := info.GetExecution().GetRunId()
	if !isRunning(info.GetStatus()) || !g.runsFor(ctx, d, run) {
		return "", nil
	}
	err = g.Client.TerminateWorkflow(ctx, string(d.Session.Key), run, "its session was deleted")
	if err != nil && !isNotFound(err) {
		return "", err
	}
	return run, nil
}

// runsFor asks a Session workflow whether it runs for the session. One that does
// not answer is taken to, if the session was its current one until now: what is
// terminated by mistake goes on from its rows.
func (g *Gateway) runsFor(ctx context.Context, d store.Doomed, run string) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	var now workflows.Status
	answer, err := g.Client.QueryWorkflow(ctx, string(d.Session.Key), run, workflows.QueryStatus)
	if err == nil {
		err = answer.Get(&now)
	}
	if err != nil || now.Session == "" {
		return d.Current
	}
	return now.Session == d.Session.ID
}

// wakeWaiting signals a session for which messages wait: what came while its workflow
// was ended has nobody else to take it, for a minute.
func (g *Gateway) wakeWaiting(ctx context.Context, key errand.SessionKey) error {
	waits, err := g.Store.Waits(ctx, key)
	if err != nil || !waits {
		return err
	}
	return g.WakeSession(ctx, key, 0)
}

// Forget deletes the histories of a session that is over: those of the workflows
// of its tasks, and the closed runs of the Session workflow that were its own.
// What is not there, or may not be deleted, is passed over.
func (g *Gateway) Forget(ctx context.Context, key errand.SessionKey, id errand.SessionID, tasks []string) (int, error) {
	return g.forget(ctx, key, id, tasks, "")
}

func (g *Gateway) forget(ctx context.Context, key errand.SessionKey, id errand.SessionID, tasks []string, run string) (int, error) {
	n := 0
	remove := func(workflow, run string) error {
		gone, err := g.deleteHistory(ctx, workflow, run)
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
	runs, err := g.runsOf(ctx, key, id)
	if err != nil {
		return n, err
	}
	if run != "" && !slices.Contains(runs, run) { // the list lags a little
		runs = append(runs, run)
	}
	for _, run := range runs {
		if err := remove(string(key), run); err != nil {
			return n, err
		}
	}
	return n, nil
}

// runsOf returns the closed runs of the Session workflow that belong to a
// session. Where errand's search attributes are not there to tell, they are all
// of them, once no other session of that conversation is kept.
func (g *Gateway) runsOf(ctx context.Context, key errand.SessionKey, id errand.SessionID) ([]string, error) {
	query := "WorkflowId = " + quoted(string(key)) + " AND ExecutionStatus != 'Running'"
	if g.Settings.Attributes {
		query += " AND ErrandSession = " + quoted(string(id))
	} else if others, err := g.Store.OtherSessions(ctx, key, id); err != nil || others {
		return nil, err
	}
	var runs []string
	var page []byte
	for {
		list, err := g.Client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: 100, NextPageToken: page})
		if err != nil {
			return nil, err
		}
		for _, w := range list.GetExecutions() {
			runs = append(runs, w.GetExecution().GetRunId())
		}
		if page = list.GetNextPageToken(); len(page) == 0 {
			return runs, nil
		}
	}
}

// deleteHistory has Temporal delete one workflow; it does so a little later. One
// that runs is terminated before.
func (g *Gateway) deleteHistory(ctx context.Context, workflow, run string) (bool, error) {
	_, err := g.Client.WorkflowService().DeleteWorkflowExecution(ctx, &workflowservice.DeleteWorkflowExecutionRequest{
		Namespace: g.Namespace, WorkflowExecution: &commonpb.WorkflowExecution{WorkflowId: workflow, RunId: run},
	})
	var denied *serviceerror.PermissionDenied
	var unknown *serviceerror.Unimplemented
	switch {
	case isNotFound(err):
		return false, nil
	case errors.As(err, &denied), errors.As(err, &unknown):
		// It has ids, and titles of tasks, and goes when Temporal's own retention is over.
		g.Logger.Warn("history not deleted", "workflow", workflow, "error", err)
		return false, nil
	}
	return err == nil, err
}

// quoted is a string in a query of Temporal's visibility.
func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
