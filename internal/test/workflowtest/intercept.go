package workflowtest

import (
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// The interceptors make up for what the test environment does in another way than a server: it
// bounds retries, counts time limits over all attempts, does not cancel what an activity does,
// cancels only children, and panics when a workflow has ended and been
// canceled before a child of it began.
func (t *temporalInTest) interceptors() []interceptor.WorkerInterceptor {
	return []interceptor.WorkerInterceptor{&intercept{temporal: t}}
}

type intercept struct {
	interceptor.WorkerInterceptorBase
	temporal *temporalInTest
}

// InterceptActivity counts the attempts of activities.
func (i *intercept) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	a := &activityInbound{temporal: i.temporal, attempts: &i.temporal.attempts}
	a.Next = next
	return a
}

// InterceptWorkflow lets a workflow be canceled from outside.
func (i *intercept) InterceptWorkflow(_ workflow.Context, next interceptor.WorkflowInboundInterceptor) interceptor.WorkflowInboundInterceptor {
	w := &workflowInbound{temporal: i.temporal}
	w.Next = next
	return w
}

type workflowInbound struct {
	interceptor.WorkflowInboundInterceptorBase
	temporal *temporalInTest
	out      *workflowOutbound
}

// Init sees to what the workflow sends.
func (w *workflowInbound) Init(out interceptor.WorkflowOutboundInterceptor) error {
	w.out = &workflowOutbound{late: w.temporal.late}
	w.out.Next = out
	return w.Next.Init(w.out)
}

// ExecuteWorkflow runs the workflow, and beside it what waits for its cancellation.
// The environment cancels a workflow as a server does only if it asks for it itself.
// One that continues as new completes here and is started again, for the environment
// leaves a goroutine of it behind. What was signalled to it in between is lost, which
// on a server it is not.
//
// It is no workflow code: it plays a part of the server.
//
//workflowcheck:ignore
func (w *workflowInbound) ExecuteWorkflow(ctx workflow.Context, in *interceptor.ExecuteWorkflowInput) (any, error) {
	info := workflow.GetInfo(ctx)
	id := info.WorkflowExecution.ID
	canceled := workflow.GetSignalChannel(ctx, cancelSignal)
	workflow.Go(ctx, func(ctx workflow.Context) {
		if canceled.Receive(ctx, nil) {
			workflow.RequestCancelExternalWorkflow(ctx, id, "")
		}
	})
	out, err := w.Next.ExecuteWorkflow(ctx, in)
	for _, child := range w.out.children {
		begun, _ := workflow.NewDisconnectedContext(ctx)
		_ = child.GetChildWorkflowExecution().Get(begun, nil) // one that could not begin has told the workflow
	}
	var again *workflow.ContinueAsNewError
	if parent := info.ParentWorkflowExecution; errors.As(err, &again) && parent != nil && parent.ID == w.temporal.id {
		w.temporal.startAgain(info, again)
		return nil, nil
	}
	return out, err
}

type workflowOutbound struct {
	interceptor.WorkflowOutboundInterceptorBase
	children []workflow.ChildWorkflowFuture // that it has started
	late     time.Duration
}

// NewTimer makes timers late.
func (w *workflowOutbound) NewTimer(ctx workflow.Context, d time.Duration) workflow.Future {
	return w.Next.NewTimer(ctx, d+w.late)
}

// ExecuteChildWorkflow notes the child.
func (o *workflowOutbound) ExecuteChildWorkflow(ctx workflow.Context, kind string, args ...any) workflow.ChildWorkflowFuture {
	child := o.Next.ExecuteChildWorkflow(ctx, kind, args...)
	o.children = append(o.children, child)
	return child
}

// unlimited stands for retries without limit: the environment takes none for ten.
const unlimited = math.MaxInt32

// ExecuteActivity has an activity tried without limit if that is what it says. Time
// limits count per attempt on a server and for all attempts in the environment, so they are
// left out. Tests of time limits use an environment of their own.
func (o *workflowOutbound) ExecuteActivity(ctx workflow.Context, name string, args ...any) workflow.Future {
	opts := workflow.GetActivityOptions(ctx)
	retry := temporal.RetryPolicy{}
	if opts.RetryPolicy != nil {
		retry = *opts.RetryPolicy
	}
	if retry.MaximumAttempts == 0 {
		retry.MaximumAttempts = unlimited
	}
	ctx = workflow.WithRetryPolicy(ctx, retry)
	ctx = workflow.WithStartToCloseTimeout(workflow.WithHeartbeatTimeout(ctx, 0), forever)
	return o.Next.ExecuteActivity(ctx, name, args...)
}

// An attemptKey names an activity of a run.
type attemptKey struct{ run, activity string }

// attempts are those of activities that are under way. The zero value has none.
type attempts struct {
	mu      sync.Mutex
	cancels map[attemptKey]context.CancelFunc
	over    bool // no other is made
}

// begin notes an attempt, and reports whether it may be made.
func (a *attempts) begin(key attemptKey, cancel context.CancelFunc) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.cancels == nil {
		a.cancels = map[attemptKey]context.CancelFunc{}
	}
	a.cancels[key] = cancel
	return !a.over
}

// end notes that an attempt has ended, and reports whether another may be made.
func (a *attempts) end(key attemptKey) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.cancels, key)
	return !a.over
}

func (a *attempts) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
}

// cancel cuts an activity off that its workflow has canceled, as errand's embedded
// server does.
func (a *attempts) cancel(info *activity.Info) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if cancel := a.cancels[attemptKey{info.WorkflowExecution.RunID, info.ActivityID}]; cancel != nil {
		cancel()
	}
}

type activityInbound struct {
	interceptor.ActivityInboundInterceptorBase
	temporal *temporalInTest
	attempts *attempts
}

// ExecuteActivity makes one attempt, or none once the test is over.
func (a *activityInbound) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	if info.ActivityType.Name == holdActivity {
		return a.Next.ExecuteActivity(ctx, in)
	}
	key := attemptKey{info.WorkflowExecution.RunID, info.ActivityID}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	if !a.attempts.begin(key, cancel) {
		return nil, temporal.NewNonRetryableApplicationError(errEnded.Error(), "ended", nil)
	}
	out, err := a.attempt(ctx, info, in)
	if more := a.attempts.end(key); err != nil && !more {
		return nil, temporal.NewNonRetryableApplicationError(errEnded.Error(), "ended", nil)
	}
	return out, err
}

func (a *activityInbound) attempt(ctx context.Context, info activity.Info, in *interceptor.ExecuteActivityInput) (any, error) {
	once := func() (any, error) { return a.Next.ExecuteActivity(ctx, in) }
	if !isPaused(info) {
		return once()
	}
	p, done := a.temporal.pauses.begin(info)
	defer done()
	for {
		out, err := once()
		d, again := pauseAfter(err)
		if !again || !a.temporal.wait(ctx, p, d) {
			return out, err
		}
	}
}
