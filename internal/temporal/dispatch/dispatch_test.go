package dispatch_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"google.golang.org/grpc"

	"errand/internal/core"
	"errand/internal/temporal/dispatch"
	"errand/internal/temporal/wire"
	"errand/internal/test/dispatchtest"
)

// rows is a store in which conversations have another session, or not.
type rows struct{ others bool }

func (rows) ID() string { return "s-1" }

func (rows) DueWebhooks(_ context.Context, task core.TaskID) ([]string, error) {
	if task == "t-told" {
		return []string{"w-1"}, nil
	}
	return nil, nil
}

func (rows) Task(_ context.Context, id core.TaskID) (core.Task, error) {
	return core.Task{ID: id, State: core.Working}, nil
}

func (rows) IsRegistered(_ context.Context, person core.PersonID, name core.AgentName) (bool, error) {
	return person == "ada" && name == "zed", nil
}

func (r rows) OtherSessions(context.Context, core.SessionKey, core.SessionID) (bool, error) {
	return r.others, nil
}

type temporal struct {
	client.Client
	err     error
	status  enumspb.WorkflowExecutionStatus
	runs    []string
	queries []string
	deleted []string
	pending [][]*workflowpb.PendingActivityInfo // one after the other; the last stays
	resets  int
	failed  int // attempts
}

func (f *temporal) SignalWorkflow(context.Context, string, string, string, any) error { return f.err }
func (f *temporal) CancelWorkflow(context.Context, string, string) error              { return f.err }
func (f *temporal) TerminateWorkflow(context.Context, string, string, string, ...any) error {
	return f.err
}

func (f *temporal) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	found := &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{Status: f.status}}
	if len(f.pending) > 0 {
		found.PendingActivities = f.pending[0]
		f.pending = f.pending[min(1, len(f.pending)-1):]
	}
	return found, f.err
}

func (f *temporal) ListWorkflow(_ context.Context, in *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	f.queries = append(f.queries, in.GetQuery())
	var list []*workflowpb.WorkflowExecutionInfo
	for _, run := range f.runs {
		list = append(list, &workflowpb.WorkflowExecutionInfo{Execution: &commonpb.WorkflowExecution{RunId: run}})
	}
	return &workflowservice.ListWorkflowExecutionsResponse{Executions: list}, nil
}

func (f *temporal) WorkflowService() workflowservice.WorkflowServiceClient {
	return service{of: f}
}

type service struct {
	workflowservice.WorkflowServiceClient
	of *temporal
}

func (s service) ResetActivity(context.Context, *workflowservice.ResetActivityRequest, ...grpc.CallOption) (*workflowservice.ResetActivityResponse, error) {
	s.of.resets++
	return nil, s.of.err
}

func (s service) RespondActivityTaskFailedById(context.Context, *workflowservice.RespondActivityTaskFailedByIdRequest, ...grpc.CallOption) (*workflowservice.RespondActivityTaskFailedByIdResponse, error) {
	s.of.failed++
	return nil, s.of.err
}

func (s service) DeleteWorkflowExecution(_ context.Context, in *workflowservice.DeleteWorkflowExecutionRequest, _ ...grpc.CallOption) (*workflowservice.DeleteWorkflowExecutionResponse, error) {
	s.of.deleted = append(s.of.deleted, in.GetWorkflowExecution().GetWorkflowId()+in.GetWorkflowExecution().GetRunId())
	return nil, s.of.err
}

// A lookingTemporal is a Temporal in which an activity has attempts under way.
type lookingTemporal struct {
	temporal
	running int // as often as it is described
	resets  int
}

func (l *lookingTemporal) DescribeWorkflowExecution(context.Context, string, string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	state := enumspb.PENDING_ACTIVITY_STATE_SCHEDULED
	if l.running > 0 {
		l.running--
		state = enumspb.PENDING_ACTIVITY_STATE_STARTED
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{PendingActivities: []*workflowpb.PendingActivityInfo{
		{ActivityType: &commonpb.ActivityType{Name: wire.WatchPeerActivity}, State: state}}}, nil
}

func (l *lookingTemporal) WorkflowService() workflowservice.WorkflowServiceClient {
	return resetting{of: l}
}

type resetting struct {
	workflowservice.WorkflowServiceClient
	of *lookingTemporal
}

func (r resetting) ResetActivity(context.Context, *workflowservice.ResetActivityRequest, ...grpc.CallOption) (*workflowservice.ResetActivityResponse, error) {
	if r.of.running > 0 {
		return nil, errors.New("an attempt is reset that is under way")
	}
	r.of.resets++
	return &workflowservice.ResetActivityResponse{}, nil
}

// TestHastenedBetweenAttempts proves that a peer is looked at again only when nobody looks at
// it just now: what an attempt says that is reset while it runs is lost.
func TestHastenedBetweenAttempts(t *testing.T) {
	l := &lookingTemporal{running: 3}
	d, err := dispatch.New(dispatch.Options{Client: l, Store: rows{}, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.HastenPeer(t.Context(), "t-1", "oracle"); err != nil || l.resets != 1 || l.running != 0 {
		t.Errorf("it is hastened %d times, with %d attempts under way: %v", l.resets, l.running, err)
	}
}

const key = core.SessionKey("session/web/main/o'neill/-/ada")

// TestMissingWorkflow proves that ending what is not there is no error, and that
// every other fault of Temporal is.
func TestMissingWorkflow(t *testing.T) {
	account := core.Account{Channel: "telegram", Name: "main"}
	below := core.Task{ID: "t-2", Caller: core.CallKey{StepKey: core.StepKey{Owner: core.SubAgentOwner("t-1", "sasha")}}}
	calls := map[string]func(*dispatch.Dispatcher, context.Context) error{
		"StopTurn":     func(d *dispatch.Dispatcher, ctx context.Context) error { return d.StopTurn(ctx, key, "a", 1) },
		"StopTask":     func(d *dispatch.Dispatcher, ctx context.Context) error { return d.StopTask(ctx, "t-1") },
		"StopSubAgent": func(d *dispatch.Dispatcher, ctx context.Context) error { return d.StopSubAgent(ctx, "t-1", "sasha") },
		"StopReminder": func(d *dispatch.Dispatcher, ctx context.Context) error { return d.StopReminder(ctx, "r-1") },
		"TaskFinished": func(d *dispatch.Dispatcher, ctx context.Context) error { return d.TaskFinished(ctx, below) },
		"EndConnection": func(d *dispatch.Dispatcher, ctx context.Context) error {
			return d.EndConnection(ctx, account)
		},
		"HastenPeer": func(d *dispatch.Dispatcher, ctx context.Context) error {
			return d.HastenPeer(ctx, "t-1", "oracle")
		},
		"Resume": func(d *dispatch.Dispatcher, ctx context.Context) error { return d.Resume(ctx, "t-1") },
		"IsRunning": func(d *dispatch.Dispatcher, ctx context.Context) error {
			running, err := d.IsRunning(ctx, "t-1")
			if running {
				t.Error("what is not there runs")
			}
			return err
		},
		"TerminateSession": func(d *dispatch.Dispatcher, ctx context.Context) error {
			run, err := d.TerminateSession(ctx, key, "a", true, "gone")
			if run != "" {
				t.Errorf("the run %q was terminated", run)
			}
			return err
		},
		"Forget": func(d *dispatch.Dispatcher, ctx context.Context) error {
			n, err := d.Forget(ctx, key, "", []string{"t-1"})
			if n != 0 {
				t.Errorf("%d histories deleted that are not there", n)
			}
			return err
		},
	}
	down := serviceerror.NewUnavailable("down")
	for name, call := range calls {
		if err := call(dispatchtest.New(t, &temporal{err: serviceerror.NewNotFound("no such workflow")}, rows{}), t.Context()); err != nil {
			t.Errorf("%s of what is not there: %v", name, err)
		}
		if err := call(dispatchtest.New(t, &temporal{err: down}, rows{}), t.Context()); !errors.Is(err, down) {
			t.Errorf("%s while Temporal is down: %v", name, err)
		}
	}
}

// TestStates proves what a workflow's status means to errand.
func TestStates(t *testing.T) {
	for status, want := range map[enumspb.WorkflowExecutionStatus]dispatch.State{
		enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING:          dispatch.Running,
		enumspb.WORKFLOW_EXECUTION_STATUS_PAUSED:           dispatch.Running,
		enumspb.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW: dispatch.Running,
		enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED:       dispatch.Terminated,
		enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED:        dispatch.Ended,
		enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED:         dispatch.Ended,
		enumspb.WORKFLOW_EXECUTION_STATUS_FAILED:           dispatch.Ended,
		enumspb.WORKFLOW_EXECUTION_STATUS_TIMED_OUT:        dispatch.Ended,
	} {
		if got, err := dispatchtest.New(t, &temporal{status: status}, rows{}).TaskState(t.Context(), "t-1"); got != want || err != nil {
			t.Errorf("%v is %d, %v; want %d", status, got, err, want)
		}
	}
}

// TestForget proves which histories go with a session where search attributes do
// not tell whose a run is: its tasks', and the closed runs of the conversation only
// when no other session of it is kept; the run that was just ended in any case,
// once.
func TestForget(t *testing.T) {
	for _, test := range []struct {
		others bool
		run    string
		want   string
	}{
		{false, "", "t-1 " + string(key) + "a " + string(key) + "b"},
		{false, "b", "t-1 " + string(key) + "a " + string(key) + "b"},
		{true, "c", "t-1 " + string(key) + "c"},
		{true, "", "t-1"},
	} {
		f := &temporal{runs: []string{"a", "b"}}
		n, err := dispatchtest.New(t, f, rows{test.others}).ForgetRun(t.Context(), key, "id", []string{"t-1"}, test.run)
		if got := strings.Join(f.deleted, " "); got != test.want || n != len(f.deleted) || err != nil {
			t.Errorf("others %t, run %q: %d deleted, %q, %v; want %q", test.others, test.run, n, got, err, test.want)
		}
		for _, q := range f.queries {
			if !strings.Contains(q, "'session/web/main/o''neill/-/ada'") {
				t.Errorf("the id is not quoted in %s", q)
			}
		}
	}
	f := &temporal{err: serviceerror.NewPermissionDenied("no", "")}
	if n, err := dispatchtest.New(t, f, rows{}).Forget(t.Context(), key, "", []string{"t-1"}); n != 0 || err != nil {
		t.Errorf("where histories may not be deleted: %d, %v", n, err)
	}
}

// hanging is a Temporal that takes a call and does not answer until over.
type hanging struct {
	client.Client
	over  chan struct{}
	calls atomic.Int64
}

func (h *hanging) ExecuteWorkflow(context.Context, client.StartWorkflowOptions, any, ...any) (client.WorkflowRun, error) {
	h.calls.Add(1)
	<-h.over
	return nil, nil
}

func (h *hanging) SignalWithStartWorkflow(context.Context, string, string, any, client.StartWorkflowOptions, any, ...any) (client.WorkflowRun, error) {
	h.calls.Add(1)
	<-h.over
	return nil, nil
}

// TestPromptly proves that nobody waits for a Temporal that does not answer: the
// first a second, everybody after them not at all, until it has answered again.
func TestPromptly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		temporal := &hanging{over: make(chan struct{})}
		d := dispatchtest.New(t, temporal, rows{})
		route := core.WebRoute("main")
		for i, want := range []time.Duration{time.Second, 0, 0} {
			begin := time.Now()
			if err := d.PromptlyWakeOutbox(t.Context(), route); !errors.Is(err, dispatch.ErrNoAnswer) || time.Since(begin) != want {
				t.Errorf("call %d: %v after %v, want %v", i, err, time.Since(begin), want)
			}
			synctest.Wait()
		}
		if n := temporal.calls.Load(); n != 3 {
			t.Errorf("%d calls were made", n)
		}
		close(temporal.over)
		synctest.Wait()
		if err := d.PromptlyWakeSession(t.Context(), key, 1); err != nil {
			t.Errorf("Temporal is back: %v", err)
		}
	})
}

// TestStartTaskBeside proves that who gives tasks waits for no start while 64 go on at
// most, that the next one waits for a second, and that one is made for each as soon as
// Temporal answers; and that messages have room of their own.
func TestStartTaskBeside(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		temporal := &hanging{over: make(chan struct{})}
		d := dispatchtest.New(t, temporal, rows{})
		var failed atomic.Int64
		start := func() time.Duration {
			begin := time.Now()
			d.StartTaskBeside(t.Context(), core.Task{ID: "t-1", Agents: []core.AgentName{"sasha"}}, func(error) { failed.Add(1) })
			return time.Since(begin)
		}
		for i := range 64 {
			if took := start(); took != 0 {
				t.Errorf("start %d was waited for, %v", i, took)
			}
		}
		if took := start(); took != time.Second || failed.Load() != 1 {
			t.Errorf("one too many was waited for %v, %d failed", took, failed.Load())
		}
		if n := temporal.calls.Load(); n != 64 {
			t.Errorf("%d calls were made", n)
		}
		go d.PromptlyWakeSession(t.Context(), key, 1)
		synctest.Wait()
		if n := temporal.calls.Load(); n != 65 {
			t.Error("a message had no room beside the tasks")
		}
		time.AfterFunc(time.Second/2, func() { close(temporal.over) })
		if took := start(); took != time.Second/2 {
			t.Errorf("the next was let in after %v", took)
		}
		synctest.Wait()
		if n := temporal.calls.Load(); n != 66 || failed.Load() != 1 {
			t.Errorf("%d calls were made, %d failed", n, failed.Load())
		}
	})
}

type started struct {
	client.Client
	options client.StartWorkflowOptions
	in      any
}

func (s *started) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, _ any, args ...any) (client.WorkflowRun, error) {
	s.options, s.in = o, args[0]
	return nil, nil
}

// TestKindsOfAgents proves that a Delegation is told the kinds of its agents where they
// are not all local, and only there.
func TestKindsOfAgents(t *testing.T) {
	kinds := map[core.AgentName]core.AgentKind{"sasha": core.LocalAgent, "oracle": "remote"}
	for _, test := range []struct {
		agents []core.AgentName
		want   []core.AgentKind
	}{
		{[]core.AgentName{"sasha"}, nil},
		{[]core.AgentName{"sasha", "gone"}, nil},
		{[]core.AgentName{"sasha", "oracle"}, []core.AgentKind{core.LocalAgent, "remote"}},
		{[]core.AgentName{"sasha", "zed"}, []core.AgentKind{core.LocalAgent, "remote"}}, // which ada has registered
		{[]core.AgentName{"vim"}, nil},
	} {
		c := &started{}
		d, err := dispatch.New(dispatch.Options{Client: c, Store: rows{}, Logger: slog.New(slog.DiscardHandler),
			KindOf: func(a core.AgentName) core.AgentKind { return kinds[a] }})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.StartTask(t.Context(), core.Task{ID: "t-1", Agents: test.agents, Origin: core.Origin{Person: "ada"}}, false); err != nil {
			t.Fatal(err)
		}
		if in, _ := c.in.(wire.DelegationInput); !slices.Equal(in.Kinds, test.want) {
			t.Errorf("%v are of kinds %v, want %v", test.agents, in.Kinds, test.want)
		}
	}
}

// TestStartShowsWhoDelegated proves that Temporal's Web UI shows, of a task, who delegated
// it and for which session: the workflow that did is not its parent.
func TestStartShowsWhoDelegated(t *testing.T) {
	c := &started{}
	d, err := dispatch.New(dispatch.Options{Client: c, Store: rows{}, Logger: slog.New(slog.DiscardHandler),
		Settings: wire.Settings{Attributes: true, Titles: true}})
	if err != nil {
		t.Fatal(err)
	}
	task := core.Task{ID: "t-1", Agents: []core.AgentName{"finn"}, From: "sasha", Title: "night trains",
		Caller: core.CallKey{StepKey: core.StepKey{Owner: "t-0/sasha", Turn: 1, Step: 2}, Index: 1},
		Origin: core.Origin{Route: core.WebRoute("main"), Session: "s-7", SessionKey: "session/web/-/main/-/ada", Depth: 2}}
	if err := d.StartTask(t.Context(), task, true); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"**Sasha**", "turn 1, step 2 of `t-0/sasha`", "`session/web/-/main/-/ada`"} {
		if !strings.Contains(c.options.StaticDetails, part) {
			t.Errorf("the details are %q, without %q", c.options.StaticDetails, part)
		}
	}
	if c.options.StaticSummary != "Finn: night trains" {
		t.Errorf("the summary is %q", c.options.StaticSummary)
	}
	shown := map[string]any{}
	for key, value := range c.options.TypedSearchAttributes.GetUntypedValues() {
		shown[key.GetName()] = value
	}
	if shown["ErrandAgent"] != "finn" || shown["ErrandSession"] != "s-7" || shown["ErrandChannel"] != "web" || shown["ErrandDepth"] != int64(2) {
		t.Errorf("the search attributes are %v", shown)
	}
}

// TestWebhooksTakeTurns proves that a webhook has its person's share of the queue, whoever
// starts it, and that its input says no more than which it is.
func TestWebhooksTakeTurns(t *testing.T) {
	for name, start := range map[string]func(*dispatch.Dispatcher) error{
		"at the end of its task": func(d *dispatch.Dispatcher) error {
			return d.TaskFinished(t.Context(), core.Task{ID: "t-told", Origin: core.Origin{Person: "p-ada"}})
		},
		"anew": func(d *dispatch.Dispatcher) error { return d.StartWebhook(t.Context(), "w-1", "p-ada") },
	} {
		c := &started{}
		if err := start(dispatchtest.New(t, c, rows{})); err != nil {
			t.Fatal(err)
		}
		if c.options.ID != "w-1" || c.options.Priority != wire.ForTask("p-ada") || c.in != (wire.WebhookInput{Store: "s-1", ID: "w-1"}) {
			t.Errorf("%s: started with %+v, %+v", name, c.options, c.in)
		}
	}
}
