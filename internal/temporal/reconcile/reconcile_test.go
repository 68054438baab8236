package reconcile_test

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/reconcile"
	"errand/internal/temporal/wire"
	"errand/internal/test/dispatchtest"
	"errand/internal/test/storetest"
)

// temporal is a Temporal in which every workflow has one status; 0: none is there. It
// counts what it is asked.
type temporal struct {
	dispatchtest.Client
	status            enumspb.WorkflowExecutionStatus
	lists             bool   // those that run
	gone              string // a workflow that is not there, though it may be listed
	listed, described atomic.Int64
	longest           int           // of a query
	takes             time.Duration // to list
}

func (f *temporal) DescribeWorkflowExecution(_ context.Context, id, _ string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	if !strings.HasSuffix(id, "/sasha") { // asked for its activities
		f.described.Add(1)
	}
	if f.status == 0 || id == f.gone {
		return nil, serviceerror.NewNotFound("no such workflow")
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{Status: f.status}}, nil
}

func (f *temporal) ListWorkflow(_ context.Context, in *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	f.listed.Add(1)
	time.Sleep(f.takes)
	f.longest = max(f.longest, len(in.GetQuery()))
	out := &workflowservice.ListWorkflowExecutionsResponse{}
	if !f.lists || f.status != enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
		return out, nil
	}
	if in.GetQuery() == "ExecutionStatus = 'Running'" { // to find activities of dead workers
		f.listed.Add(-1)
		return out, nil
	}
	_, ids, ok := strings.Cut(in.GetQuery(), "ExecutionStatus = 'Running' AND WorkflowId IN (")
	if !ok {
		return nil, serviceerror.NewInvalidArgument(in.GetQuery())
	}
	for id := range strings.SplitSeq(strings.TrimSuffix(ids, ")"), ", ") {
		out.Executions = append(out.Executions, &workflowpb.WorkflowExecutionInfo{Execution: &commonpb.WorkflowExecution{WorkflowId: strings.Trim(id, "'")}})
	}
	return out, nil
}

type noAttempts struct{}

func (noAttempts) Doubted() bool                          { return false }
func (noAttempts) Has(string, string, string, int32) bool { return false }

type service struct{}

func (service) AcceptPairingMessages(context.Context, string) error { return nil }

func (service) EndTask(context.Context, core.TaskID, string) (core.Task, error) {
	return core.Task{}, nil
}

func (service) NoteGoneAccounts(context.Context, time.Time) error { return nil }
func (service) PollLatePeers(context.Context) error               { return nil }
func (service) RemindOfQuestions(context.Context) error           { return nil }

var ada = core.NewSessionKey(core.WebRoute("main"), "ada")

func open(t testing.TB, tasks int, o store.Options) *store.Store {
	t.Helper()
	if o.PostgreSQL == "" {
		o.SQLite = storetest.File(t)
	}
	n := 0
	o.NewTaskID = func() core.TaskID { n++; return core.TaskID(fmt.Sprint("t-", n)) }
	s, err := store.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	if _, err := s.EnsurePerson(t.Context(), "ada", "Ada", core.Member); err != nil {
		t.Fatal(err)
	}
	origin := core.Origin{Route: core.WebRoute("main"), Person: "ada", SessionKey: ada}
	for range tasks {
		if _, err := s.CreateTask(t.Context(), origin, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "two trains"}, ""); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func reconciler(t testing.TB, s *store.Store, f *temporal, worker string) *reconcile.Reconciler {
	return &reconcile.Reconciler{Store: s, Dispatch: dispatchtest.New(t, f, s), Service: service{}, Logger: slog.New(slog.DiscardHandler),
		Worker: worker, WorkerTTL: time.Hour, Attempts: noAttempts{}}
}

// TestTasks proves what becomes of an open task, by how its workflow is.
func TestTasks(t *testing.T) {
	for name, test := range map[string]struct {
		workflow enumspb.WorkflowExecutionStatus
		state    core.TaskState
		wakes    string // the workflow that hears of it; empty: none
	}{
		"has no workflow": {0, core.Submitted, "t-1"},
		"runs":            {enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, core.Submitted, ""},
		"was terminated":  {enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED, core.Failed, string(ada)},
		"has failed":      {enumspb.WORKFLOW_EXECUTION_STATUS_FAILED, core.Failed, string(ada)},
	} {
		for _, lists := range []bool{true, false} {
			now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
			s := open(t, 1, store.Options{Now: func() time.Time { return now }})
			temporal := &temporal{status: test.workflow, lists: lists}
			r := reconciler(t, s, temporal, "")
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
			listed := lists && test.workflow == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
			if asked := temporal.described.Load(); listed == (asked > 0) {
				t.Errorf("a task that %s, listed as running %v: %d workflows are described", name, listed, asked)
			}
		}
	}
}

// TestCalls proves that a pass over many tasks which run asks Temporal little, reads no
// words, and asks for no more than some workflows where the list is not up to date.
func TestCalls(t *testing.T) {
	const tasks = 10_000
	var statements []string
	tracing := false
	s := open(t, tasks, store.Options{Trace: func(q string) {
		if tracing {
			statements = append(statements, q)
		}
	}})
	tracing = true
	later := time.Now().Add(time.Second)
	running := &temporal{status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, lists: true}
	if err := reconciler(t, s, running, "").Once(t.Context(), later); err != nil {
		t.Fatal(err)
	}
	if listed, described := running.listed.Load(), running.described.Load(); listed > tasks/1000+5 || described > 0 || len(running.IDs) > 0 {
		t.Errorf("with %d tasks that run Temporal is asked for %d lists and %d workflows, and %d are signalled or started", tasks, listed, described, len(running.IDs))
	}
	if len(statements) > tasks/500+20 {
		t.Errorf("with %d tasks that run the store is asked %d times", tasks, len(statements))
	}
	for _, q := range statements {
		for _, words := range []string{" text,", "text FROM", " result,", "result FROM", "content"} {
			if strings.Contains(strings.ReplaceAll(strings.ReplaceAll(q, "'' AS text,", ""), "'' AS result,", ""), words) {
				t.Errorf("words are read: %s", q)
			}
		}
	}
	tracing = false

	lagging := &temporal{status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING}
	err := reconciler(t, s, lagging, "").Once(t.Context(), later)
	if asked := lagging.described.Load(); err == nil || asked > 200 || len(lagging.IDs) > 0 {
		t.Errorf("a list that lags: %d workflows are asked for, %d signalled or started, %v", asked, len(lagging.IDs), err)
	}
	lost := &temporal{}
	if err := reconciler(t, s, lost, "").Once(t.Context(), later); err != nil || len(lost.IDs) != tasks {
		t.Errorf("of %d tasks that a Temporal with a new database does not know %d are started, %v", tasks, len(lost.IDs), err)
	}
}

// TestListIsWrong proves that a pass which asks for each workflow finds a task that has
// none where Temporal's list hides it: behind more workflows that run and are not listed
// than a pass asks for, or by listing it as running.
func TestListIsWrong(t *testing.T) {
	for name, test := range map[string]struct {
		tasks int
		lists bool
	}{
		"behind those that are not listed": {150, false},
		"listed and gone":                  {1, true},
	} {
		s := open(t, test.tasks, store.Options{})
		f := &temporal{status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, lists: test.lists}
		for task, err := range s.OpenTasks(t.Context()) { // the last
			if err != nil {
				t.Fatal(err)
			}
			f.gone = string(task.ID)
		}
		r, later := reconciler(t, s, f, ""), time.Now().Add(time.Minute)
		for range 3 {
			_ = r.Once(t.Context(), later) // it may say that the list lags
		}
		if len(f.IDs) > 0 {
			t.Fatalf("%s: passes that believe the list start %q", name, f.IDs)
		}
		if err := reconcile.OnceExactly(r, t.Context(), later); err != nil || !slices.Equal(f.IDs, []string{f.gone}) {
			t.Errorf("%s: an exact pass starts %q, %v; want %s", name, f.IDs, err, f.gone)
		}
	}
}

// TestSignalledOnce proves that the workflow of a task is told once an hour, and not with
// each pass, that its deadline is over, and its agents of what was added and they have not
// read: Temporal takes only so many signals for one run. A workflow that is new is told at
// once.
func TestSignalledOnce(t *testing.T) {
	s := open(t, 0, store.Options{})
	origin := core.Origin{Route: core.WebRoute("main"), Person: "ada", SessionKey: ada}
	task, err := s.CreateTask(t.Context(), origin, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "two trains?", Policy: core.All, Deadline: time.Microsecond}, "")
	if err != nil {
		t.Fatal(err)
	}
	added, err := s.AddToTask(t.Context(), task.ID, store.TaskMessage{Key: "k", Person: "ada", Role: core.Member, Text: "by night"})
	if err != nil {
		t.Fatal(err)
	}
	f := &temporal{status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, lists: true}
	r, later := reconciler(t, s, f, ""), time.Now().Add(time.Minute)
	told := []string{string(task.ID), string(core.SubAgentOwner(task.ID, "sasha"))}
	for range 3 {
		if err := r.Once(t.Context(), later); err != nil || !slices.Equal(f.IDs, told) {
			t.Fatalf("signalled are %q, %v; want each once: %q", f.IDs, err, told)
		}
	}
	if want := []any{nil, wire.SteerSignal{Row: added.Row}}; !slices.Equal(f.Args, want) {
		t.Errorf("they are told %v, want %v", f.Args, want)
	}
	f.gone, f.lists = string(task.ID), false // with Temporal's database
	f.IDs = nil
	if err := r.Once(t.Context(), later); err != nil || !slices.Equal(f.IDs, append([]string{string(task.ID)}, told...)) {
		t.Errorf("what is gone is started, and told: %q, %v", f.IDs, err)
	}
}

// TestFollowedByIsSaid proves that whoever asked for a decision is told by the watchdog, too,
// which task follows it: a sub-agent joins that one.
func TestFollowedByIsSaid(t *testing.T) {
	s := open(t, 0, store.Options{})
	origin := core.Origin{Route: core.WebRoute("main"), Person: "ada", SessionKey: ada}
	task, err := s.CreateTask(t.Context(), origin, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "two trains?", Policy: core.All,
		Else: &core.Branch{Agents: []core.AgentName{"finn"}, Task: "a bus"}}, "")
	if err != nil {
		t.Fatal(err)
	}
	if task, _, err = s.FinishTask(t.Context(), task.ID, core.Completed, ""); err != nil || task.FollowedBy == "" {
		t.Fatal(task, err)
	}
	f := &temporal{status: enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING, lists: true}
	if err := reconciler(t, s, f, "").Once(t.Context(), time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	want := wire.TaskFinishedSignal{Task: task.ID, FollowedBy: task.FollowedBy}
	if !slices.Contains(f.Args, any(want)) {
		t.Errorf("they are told %v, want %v", f.Args, want)
	}
}
