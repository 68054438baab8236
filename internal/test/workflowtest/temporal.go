package workflowtest

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/mock"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	workflowpb "go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/log"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"
	"google.golang.org/grpc"

	"errand/activities"
	"errand/workflows"
)

const forever = 100 * 365 * 24 * time.Hour

// temporalInTest is the Temporal of an [Installation]: a client whose workflows all
// run in one test environment, on its clock. The environment runs one workflow, which
// is here [temporalInTest.serve]: whatever is started is a child of that one, and what
// is signalled or canceled it passes on. Calls that errand does not make panic.
type temporalInTest struct {
	client.Client
	env    *testsuite.TestWorkflowEnvironment
	id     string        // of serve
	ended  chan struct{} // nothing is served any more
	late   time.Duration // by how much timers of workflows fire later
	alive  context.Context
	leave  context.CancelFunc // ends alive, and with it every activity
	began  chan struct{}      // the environment takes calls
	served chan struct{}      // it has ended

	mu    sync.Mutex
	calls []func(workflow.Context) // in the order of their signals

	// These are the environment's: touched in its loop only.
	runs    map[string]enumspb.WorkflowExecutionStatus
	results map[string]converter.EncodedValue // of those that have ended
	order   []string                          // of the first start of each id
	signals map[[2]string]int                 // delivered from outside, by id and name

	attempts attempts
	pauses   pauses
}

// newTemporal returns an environment on the clock of package time, which has to be
// that of a bubble of testing/synctest. It begins with [temporalInTest.begin].
func newTemporal(logger *slog.Logger, late time.Duration) *temporalInTest {
	var suite testsuite.WorkflowTestSuite
	suite.SetLogger(log.NewStructuredLogger(logger))
	t := &temporalInTest{
		env: suite.NewTestWorkflowEnvironment(), late: late, ended: make(chan struct{}), began: make(chan struct{}), served: make(chan struct{}),
		runs: map[string]enumspb.WorkflowExecutionStatus{}, results: map[string]converter.EncodedValue{}, signals: map[[2]string]int{},
	}
	t.alive, t.leave = context.WithCancel(context.Background())
	t.env.SetStartTime(time.Now())
	t.env.SetTestTimeout(forever)
	t.env.SetDetachedChildWait(false)
	t.env.SetWorkerOptions(worker.Options{BackgroundActivityContext: t.alive, Interceptors: t.interceptors()})
	t.env.SetOnActivityCanceledListener(t.attempts.cancel)
	// Whoever is canceled may just have ended: the environment knows before its listeners.
	t.env.OnRequestCancelExternalWorkflow(mock.Anything, mock.Anything, mock.Anything).Return(nil)
	t.env.SetOnChildWorkflowStartedListener(func(info *workflow.Info, _ workflow.Context, _ converter.EncodedValues) {
		id := info.WorkflowExecution.ID
		if _, ok := t.runs[id]; !ok {
			t.order = append(t.order, id)
		}
		t.runs[id] = enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
	})
	t.env.SetOnChildWorkflowCompletedListener(func(info *workflow.Info, result converter.EncodedValue, err error) {
		t.results[info.WorkflowExecution.ID] = result
		if t.runs[info.WorkflowExecution.ID] == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING {
			t.runs[info.WorkflowExecution.ID] = statusOf(err)
		}
	})
	return t
}

func (t *temporalInTest) begin(acts *activities.Activities) {
	workflows.Register(t.env)
	t.env.RegisterActivity(acts)
	t.env.RegisterActivityWithOptions(t.hold, activity.RegisterOptions{Name: holdActivity})
	go func() {
		defer close(t.served)
		t.env.ExecuteWorkflow(t.serve)
	}()
	<-t.began
}

func statusOf(err error) enumspb.WorkflowExecutionStatus {
	var terminated *temporal.TerminatedError
	switch {
	case err == nil:
		return enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED
	case errors.As(err, &terminated):
		return enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED
	case temporal.IsCanceledError(err):
		return enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED
	}
	return enumspb.WORKFLOW_EXECUTION_STATUS_FAILED
}

const (
	holdActivity = "hold"
	callSignal   = "call"            // to serve: there is one more call
	cancelSignal = "cancel workflow" // to any workflow: cancel yourself
)

func (t *temporalInTest) serve(ctx workflow.Context) error {
	t.id = workflow.GetInfo(ctx).WorkflowExecution.ID
	// While an activity runs, the environment skips no time by itself: the clock is
	// that of the bubble, for workflows, activities and the test alike.
	held := workflow.WithActivityOptions(ctx, workflow.ActivityOptions{StartToCloseTimeout: forever})
	holding := workflow.ExecuteActivity(held, holdActivity)
	calls := workflow.GetSignalChannel(ctx, callSignal)
	for {
		calls.Receive(ctx, nil)
		t.mu.Lock()
		call := t.calls[0]
		t.calls = t.calls[1:]
		t.mu.Unlock()
		if call == nil {
			return holding.Get(ctx, nil)
		}
		call(ctx)
	}
}

func (t *temporalInTest) hold(context.Context) error {
	close(t.began)
	<-t.ended
	return nil
}

// call has f run in the environment, and waits for it. It reports whether that was
// still possible.
func (t *temporalInTest) call(f func(workflow.Context)) bool {
	done := make(chan struct{})
	t.post(func(ctx workflow.Context) {
		defer close(done)
		f(ctx)
	})
	select {
	case <-done:
		return true
	case <-t.ended:
		return false
	}
}

func (t *temporalInTest) post(f func(workflow.Context)) {
	t.mu.Lock()
	t.calls = append(t.calls, f)
	t.mu.Unlock()
	t.env.SignalWorkflow(callSignal, nil)
}

// stop ends everything that runs, and returns once nothing is left of it.
func (t *temporalInTest) stop() {
	t.attempts.stop()
	t.leave()
	// The environment ends a workflow in a goroutine of its own, beside a result that comes
	// for it: what was under way has ended before.
	synctest.Wait()
	t.call(func(ctx workflow.Context) {
		for i := len(t.order) - 1; i >= 0; i-- { // sub-agents before their tasks
			t.terminate(ctx, t.order[i])
		}
	})
	synctest.Wait() // and their ends, before a timer of theirs fires
	// After that time, everything that waits for another attempt gives up.
	<-t.after(24 * time.Hour)
	t.post(nil)
	close(t.ended)
	<-t.served
}

// sleep waits on the environment's clock. Whatever takes time has to wait here, so
// that the environment's clock and the bubble's stay one.
func (t *temporalInTest) sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-t.after(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (t *temporalInTest) after(d time.Duration) <-chan struct{} {
	woken := make(chan struct{})
	t.env.RegisterDelayedCallback(func() { close(woken) }, d)
	return woken
}

var errEnded = errors.New("the test is over")

func (t *temporalInTest) running(id string) bool {
	return t.runs[id] == enumspb.WORKFLOW_EXECUTION_STATUS_RUNNING
}

func notFound(id string) error { return serviceerror.NewNotFound("no workflow " + id + " runs") }

// start starts a workflow and waits until it runs.
func (t *temporalInTest) start(ctx workflow.Context, o client.StartWorkflowOptions, run any, args []any) error {
	if t.running(o.ID) {
		if o.WorkflowIDConflictPolicy == enumspb.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING {
			return nil
		}
		return serviceerror.NewWorkflowExecutionAlreadyStarted("it runs", "", "")
	}
	ctx = workflow.WithChildOptions(ctx, workflow.ChildWorkflowOptions{
		WorkflowID: o.ID, TaskQueue: o.TaskQueue, WorkflowTaskTimeout: o.WorkflowTaskTimeout, Priority: o.Priority,
		WorkflowIDReusePolicy: o.WorkflowIDReusePolicy, ParentClosePolicy: enumspb.PARENT_CLOSE_POLICY_ABANDON,
		StaticSummary: o.StaticSummary,
	})
	err := workflow.ExecuteChildWorkflow(ctx, run, args...).GetChildWorkflowExecution().Get(ctx, nil)
	var already *temporal.ChildWorkflowExecutionAlreadyStartedError
	if errors.As(err, &already) {
		return serviceerror.NewWorkflowExecutionAlreadyStarted("it has run", "", "")
	}
	return err
}

func (t *temporalInTest) startAgain(info *workflow.Info, again *workflow.ContinueAsNewError) {
	var args []any
	for _, p := range again.Input.GetPayloads() {
		args = append(args, converter.NewRawValue(p))
	}
	o := client.StartWorkflowOptions{ID: info.WorkflowExecution.ID, TaskQueue: info.TaskQueueName}
	t.post(func(ctx workflow.Context) { _ = t.start(ctx, o, again.WorkflowType.Name, args) })
}

// signal delivers a signal at once, so that a workflow which is ending still sees it.
func (t *temporalInTest) signal(ctx workflow.Context, id, name string, arg any) error {
	if !t.running(id) || workflow.SignalExternalWorkflow(ctx, id, "", name, arg).Get(ctx, nil) != nil {
		return notFound(id)
	}
	t.signals[[2]string{id, name}]++
	return nil
}

// terminate ends a workflow without asking it.
func (t *temporalInTest) terminate(ctx workflow.Context, id string) {
	if t.running(id) {
		t.runs[id] = enumspb.WORKFLOW_EXECUTION_STATUS_TERMINATED
		workflow.RequestCancelExternalWorkflow(ctx, id, "")
	}
}

// SignalWithStartWorkflow signals a workflow, and starts it first if need be.
func (t *temporalInTest) SignalWithStartWorkflow(_ context.Context, id, name string, arg any, o client.StartWorkflowOptions, run any, args ...any) (client.WorkflowRun, error) {
	err := errEnded
	t.call(func(ctx workflow.Context) {
		if err = t.signal(ctx, id, name, arg); err == nil {
			return
		}
		o.ID = id
		if err = t.start(ctx, o, run, args); err == nil {
			err = t.signal(ctx, id, name, arg)
		}
	})
	return nil, err
}

// SignalWorkflow signals a workflow that runs.
func (t *temporalInTest) SignalWorkflow(_ context.Context, id, _, name string, arg any) error {
	err := errEnded
	t.call(func(ctx workflow.Context) { err = t.signal(ctx, id, name, arg) })
	return err
}

// ExecuteWorkflow starts a workflow.
func (t *temporalInTest) ExecuteWorkflow(_ context.Context, o client.StartWorkflowOptions, run any, args ...any) (client.WorkflowRun, error) {
	err := errEnded
	t.call(func(ctx workflow.Context) { err = t.start(ctx, o, run, args) })
	return nil, err
}

// CancelWorkflow requests the cancellation of a workflow.
func (t *temporalInTest) CancelWorkflow(_ context.Context, id, _ string) error {
	err := errEnded
	t.call(func(ctx workflow.Context) { err = t.signal(ctx, id, cancelSignal, nil) })
	return err
}

// TerminateWorkflow ends a workflow without asking it.
func (t *temporalInTest) TerminateWorkflow(_ context.Context, id, _, _ string, _ ...any) error {
	err := errEnded
	t.call(func(ctx workflow.Context) {
		if err = nil; !t.running(id) {
			err = notFound(id)
		}
		t.terminate(ctx, id)
	})
	return err
}

// DescribeWorkflowExecution says whether a workflow runs, and how it ended.
func (t *temporalInTest) DescribeWorkflowExecution(_ context.Context, id, _ string) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	status, ok := enumspb.WorkflowExecutionStatus(0), false
	if !t.call(func(workflow.Context) { status, ok = t.runs[id] }) {
		return nil, errEnded
	}
	if !ok {
		return nil, notFound(id)
	}
	return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: &workflowpb.WorkflowExecutionInfo{
		Execution: &commonpb.WorkflowExecution{WorkflowId: id}, Status: status,
	}, PendingActivities: t.pauses.pending(id)}, nil
}

// QueryWorkflow asks a workflow that runs.
func (t *temporalInTest) QueryWorkflow(_ context.Context, id, _, query string, args ...any) (converter.EncodedValue, error) {
	var value converter.EncodedValue
	err := errEnded
	t.call(func(workflow.Context) {
		if err = notFound(id); t.running(id) {
			value, err = t.env.QueryWorkflowByID(id, query, args...)
		}
	})
	return value, err
}

// CheckHealth answers.
func (t *temporalInTest) CheckHealth(context.Context, *client.CheckHealthRequest) (*client.CheckHealthResponse, error) {
	return &client.CheckHealthResponse{}, nil
}

// ListWorkflow lists none.
func (t *temporalInTest) ListWorkflow(context.Context, *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	return &workflowservice.ListWorkflowExecutionsResponse{}, nil
}

// ScheduleClient has no schedules: what they would start is started when it is asked for.
func (t *temporalInTest) ScheduleClient() client.ScheduleClient { return noSchedules{} }

type noSchedules struct{ client.ScheduleClient }

func (noSchedules) GetHandle(_ context.Context, id string) client.ScheduleHandle {
	return noSchedule{id: id}
}

type noSchedule struct {
	client.ScheduleHandle
	id string
}

func (s noSchedule) Trigger(context.Context, client.ScheduleTriggerOptions) error {
	return notFound(s.id)
}

// WorkflowService keeps no histories, and of the activities that wait it knows those of
// [pauses].
func (t *temporalInTest) WorkflowService() workflowservice.WorkflowServiceClient {
	return rawService{temporal: t}
}

type rawService struct {
	workflowservice.WorkflowServiceClient
	temporal *temporalInTest
}

// DeleteWorkflowExecution ends what runs, and forgets it.
func (s rawService) DeleteWorkflowExecution(_ context.Context, r *workflowservice.DeleteWorkflowExecutionRequest, _ ...grpc.CallOption) (*workflowservice.DeleteWorkflowExecutionResponse, error) {
	id, t := r.GetWorkflowExecution().GetWorkflowId(), s.temporal
	err := errEnded
	t.call(func(ctx workflow.Context) {
		if err = nil; !t.running(id) {
			err = notFound(id)
		}
		t.terminate(ctx, id)
		delete(t.runs, id)
	})
	if err != nil {
		return nil, err
	}
	return &workflowservice.DeleteWorkflowExecutionResponse{}, nil
}

// ResetActivity ends the pause of an activity before its next attempt.
func (s rawService) ResetActivity(_ context.Context, r *workflowservice.ResetActivityRequest, _ ...grpc.CallOption) (*workflowservice.ResetActivityResponse, error) {
	id := r.GetExecution().GetWorkflowId()
	if !s.temporal.pauses.reset(id, r.GetType()) {
		return nil, notFound(id)
	}
	return &workflowservice.ResetActivityResponse{}, nil
}

// A toStart is a workflow that an update starts if need be.
type toStart struct {
	client.WithStartWorkflowOperation
	options client.StartWorkflowOptions
	run     any
	args    []any
}

// NewWithStartWorkflowOperation keeps what is to be started.
func (t *temporalInTest) NewWithStartWorkflowOperation(o client.StartWorkflowOptions, run any, args ...any) client.WithStartWorkflowOperation {
	return &toStart{options: o, run: run, args: args}
}

// UpdateWithStartWorkflow updates a workflow, and starts it first if need be.
func (t *temporalInTest) UpdateWithStartWorkflow(_ context.Context, o client.UpdateWithStartWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	first, _ := o.StartWorkflowOperation.(*toStart)
	u := &update{ended: t.ended, done: make(chan struct{})}
	err := errEnded
	t.call(func(ctx workflow.Context) {
		if err = t.start(ctx, first.options, first.run, first.args); err == nil {
			err = t.env.UpdateWorkflowByID(o.UpdateOptions.WorkflowID, o.UpdateOptions.UpdateName, o.UpdateOptions.UpdateID, u, o.UpdateOptions.Args...)
		}
	})
	return u, err
}

// An update is one under way, and what came of it.
type update struct {
	client.WorkflowUpdateHandle
	ended  <-chan struct{}
	done   chan struct{}
	result any
	err    error
}

// Accept does nothing.
func (u *update) Accept() {}

// Reject ends it.
func (u *update) Reject(err error) { u.Complete(nil, err) }

// Complete ends it.
func (u *update) Complete(result any, err error) {
	u.result, u.err = result, err
	close(u.done)
}

// Get waits for what comes of it.
func (u *update) Get(_ context.Context, result any) error {
	select {
	case <-u.done:
	case <-u.ended:
		return errEnded
	}
	if u.err != nil || result == nil || u.result == nil {
		return u.err
	}
	data := converter.GetDefaultDataConverter()
	payload, err := data.ToPayload(u.result)
	if err != nil {
		return err
	}
	return data.FromPayload(payload, result)
}
