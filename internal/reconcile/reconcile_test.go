package reconcile_test

import (
	"context"
	"log/slog"
	"slices"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"errand"
	"errand/internal/dispatch/dispatchtest"
	"errand/internal/reconcile"
	"errand/internal/store"
	"errand/internal/store/storetest"
)

// temporal is a Temporal in which every workflow has one status; 0: none is there.
type temporal struct {
	*dispatchtest.Client
	status enumspb.WorkflowExecutionStatus
}

func (f temporal) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	if f.status == 0 {
		return nil, serviceerror.NewNotFound("no such workflow")
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{Status: f.status}}, nil
}

// service does nothing.
type service struct{}

func (service) AcceptWrote(context.Context, string) error { return nil }

func (service) EndTask(context.Context, errand.TaskID, string) (errand.Task, error) {
	return errand.Task{}, nil
}

func (service) NoteGoneAccounts(context.Context, time.Time) error { return nil }

// TestTasks proves what becomes of an open task, by how its workflow is.
func TestTasks(t *testing.T) {
	key := errand.NewSessionKey(errand.WebRoute("main"), "ada")
	for name, test := range map[string]struct {
		workflow enumspb.WorkflowExecutionStatus
		state    errand.TaskState
		wakes    string // the workflow that hears of it; empty: none
	}{
		"has no workflow": {0, errand.Submitted, "t-1"},
		"runs":            {enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, errand.Submitted, ""},
		"was terminated":  {enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, errand.Failed, string(key)},
		"has failed":      {enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, errand.Failed, string(key)},
	} {
		now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
		s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t),
			Now: func() time.Time { return now }, NewTaskID: func() errand.TaskID { return "t-1" }})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		if _, err := s.EnsurePerson(t.Context(), "ada", "Ada", errand.Member); err != nil {
			t.Fatal(err)
		}
		origin := errand.Origin{Route: errand.WebRoute("main"), Person: "ada", SessionKey: key}
		if _, err := s.CreateTask(t.Context(), origin, store.NewTask{Agents: []errand.AgentName{"sasha"}, Text: "two trains"}, ""); err != nil {
			t.Fatal(err)
		}
		temporal := temporal{&dispatchtest.Client{}, test.workflow}
		r := reconcile.Reconciler{Store: s, Dispatch: dispatchtest.New(t, temporal, s), Service: service{}, Logger: slog.New(slog.DiscardHandler)}
		if err := r.Once(t.Context(), now); err != nil || len(temporal.IDs) > 0 {
			t.Errorf("a task that %s, and is under way perhaps: %q hear of it, %v", name, temporal.IDs, err)
		}
		if err := r.Once(t.Context(), now.Add(time.Second)); err != nil {
			t.Errorf("a task that %s: %v", name, err)
		}
		task, err := s.Task(t.Context(), "t-1")
		if err != nil || task.State != test.state {
			t.Errorf("a task that %s is %s, %v; want %s", name, task.State, err, test.state)
		}
		if heard := test.wakes != ""; heard != slices.Contains(temporal.IDs, test.wakes) || !heard && len(temporal.IDs) > 0 {
			t.Errorf("of a task that %s hear %q, want %q", name, temporal.IDs, test.wakes)
		}
	}
}
