package activities

import (
	"context"
	"errors"
	"log/slog"
	"path"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// Attempts are the attempts of activities that run in this process. Because activities send no
// heartbeats, except in maintenance, Temporal can neither cancel them nor notice that one is lost.
// Attempts does both.
type Attempts struct {
	interceptor.WorkerInterceptorBase
	store   *store.Store
	logger  *slog.Logger
	mu      sync.Mutex
	running map[*attempt]bool
	doubted atomic.Bool
}

type attempt struct {
	info   activity.Info
	work   store.Work // zero: it cannot be closed
	cancel context.CancelCauseFunc
}

var (
	errWorkClosed = errors.New("its turn or task was closed")
	errExpired    = errors.New("this worker was taken for dead")
)

func NewAttempts(s *store.Store, logger *slog.Logger) *Attempts {
	return &Attempts{store: s, logger: logger, running: map[*attempt]bool{}}
}

// InterceptActivity implements [interceptor.WorkerInterceptor].
func (a *Attempts) InterceptActivity(_ context.Context, next interceptor.ActivityInboundInterceptor) interceptor.ActivityInboundInterceptor {
	return &attemptInterceptor{interceptor.ActivityInboundInterceptorBase{Next: next}, a}
}

type attemptInterceptor struct {
	interceptor.ActivityInboundInterceptorBase
	attempts *Attempts
}

func (i *attemptInterceptor) ExecuteActivity(ctx context.Context, in *interceptor.ExecuteActivityInput) (any, error) {
	info := activity.GetInfo(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	t := &attempt{info: info, work: workOf(info.ActivityType.Name, in.Args), cancel: cancel}
	i.attempts.add(t)
	defer i.attempts.remove(t)
	out, err := i.Next.ExecuteActivity(ctx, in)
	switch cause := context.Cause(ctx); {
	case err == nil:
		return out, nil
	case errors.Is(cause, errWorkClosed):
		return nil, failed(store.ErrClosed)
	case errors.Is(cause, errExpired):
		return nil, failed(errExpired)
	}
	return nil, err
}

// workOf returns the work whose end cancels an activity.
func workOf(name string, args []any) store.Work {
	if len(args) != 1 {
		return store.Work{}
	}
	switch in := args[0].(type) {
	case wire.ThinkInput:
		return store.Work{Owner: in.Key.Owner, Turn: in.Key.Turn}
	case wire.ToolInput:
		return store.Work{Owner: in.Key.Owner, Turn: in.Key.Turn}
	case wire.PeerInput:
		if name == wire.WatchPeerActivity || name == wire.RunCodingAgentActivity { // others run after the end, too
			return store.Work{Owner: core.SubAgentOwner(in.Task, in.Agent)}
		}
	}
	return store.Work{}
}

func (a *Attempts) add(t *attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.running[t] = true
}

func (a *Attempts) remove(t *attempt) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.running, t)
}

// Has reports whether an attempt of an activity runs in this process.
func (a *Attempts) Has(workflow, run, activity string, number int32) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for t := range a.running {
		of := t.info.WorkflowExecution
		if of.ID == workflow && of.RunID == run && t.info.ActivityID == activity && t.info.Attempt == number {
			return true
		}
	}
	return false
}

const (
	closedInterval = time.Second // between checks for closed work
	maxClosed      = 500         // works in one query
)

// Run cancels attempts whose turn or task was closed, until ctx ends.
func (a *Attempts) Run(ctx context.Context) {
	tick := time.NewTicker(closedInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for work := range slices.Chunk(a.works(), maxClosed) {
			closed, err := a.store.ClosedWork(ctx, work)
			if err != nil {
				a.logger.Debug("cannot read which turns were closed", "error", err)
				break
			}
			if len(closed) > 0 {
				a.cancel(errWorkClosed, func(t *attempt) bool { return slices.Contains(closed, t.work) })
			}
		}
	}
}

func (a *Attempts) works() (works []store.Work) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for t := range a.running {
		if t.work != (store.Work{}) {
			works = append(works, t.work)
		}
	}
	return works
}

func (a *Attempts) cancel(cause error, which func(*attempt) bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for t := range a.running {
		if which(t) {
			t.cancel(cause)
		}
	}
}

// Expire cancels all attempts, because this worker was taken for dead and others continue its work.
func (a *Attempts) Expire() {
	a.logger.Warn("this worker was taken for dead, because it did not renew its row in time; others continue its work")
	a.cancel(errExpired, func(*attempt) bool { return true })
}

// Doubted reports and clears whether a request failed that may have lost an attempt or its result.
func (a *Attempts) Doubted() bool { return a.doubted.Swap(false) }

var carriesActivities = []string{
	"PollActivityTaskQueue", "RespondWorkflowTaskCompleted", "RespondActivityTaskCompleted", "RespondActivityTaskFailed", "RespondActivityTaskCanceled",
}

// NoteFailures is a [grpc.UnaryClientInterceptor] for the connection to Temporal, see Doubted.
func (a *Attempts) NoteFailures(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := invoke(ctx, method, req, reply, conn, opts...)
	switch status.Code(err) {
	case codes.OK, codes.NotFound, codes.InvalidArgument: // Temporal has answered
	case codes.Canceled:
		if ctx.Err() == nil {
			a.noteFailure(method)
		}
	default:
		a.noteFailure(method)
	}
	return err
}

func (a *Attempts) noteFailure(method string) {
	if slices.Contains(carriesActivities, path.Base(method)) {
		a.doubted.Store(true)
	}
}

var _ grpc.UnaryClientInterceptor = (*Attempts)(nil).NoteFailures
