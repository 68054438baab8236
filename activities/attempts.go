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

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// Attempts are the attempts of activities that run in this process. Because activities send no
// heartbeats, Temporal can neither cancel them nor notice that one is lost. Attempts does both.
type Attempts struct {
	interceptor.WorkerInterceptorBase
	store     *store.Store
	logger    *slog.Logger
	mu        sync.Mutex
	running   map[*attempt]bool
	doubted   atomic.Bool
	aliveTill atomic.Pointer[time.Time]
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
func (a *Attempts) Has(workflow, activity string, number int32) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for t := range a.running {
		if t.info.WorkflowExecution.ID == workflow && t.info.ActivityID == activity && t.info.Attempt == number {
			return true
		}
	}
	return false
}

const (
	lookForClosed = time.Second // between checks for closed work
	mostClosed    = 500         // works in one query
)

// Run cancels attempts whose turn or task was closed, until ctx ends.
func (a *Attempts) Run(ctx context.Context) {
	tick := time.NewTicker(lookForClosed)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		for work := range slices.Chunk(a.works(), mostClosed) {
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

// KeepAlive notes until when no other worker takes this one for dead.
func (a *Attempts) KeepAlive(until time.Time) { a.aliveTill.Store(&until) }

// Alive reports whether no other worker can have taken this one for dead. A process that was
// suspended finds out here before it renews its row.
func (a *Attempts) Alive() bool {
	until := a.aliveTill.Load()
	return until == nil || time.Now().Before(*until)
}

// Doubted reports, once, whether requests to Temporal failed that may have brought activities to
// this process, or the results of activities to Temporal.
func (a *Attempts) Doubted() bool { return a.doubted.Swap(false) }

var carriesActivities = []string{
	"PollActivityTaskQueue", "RespondWorkflowTaskCompleted", "RespondActivityTaskCompleted", "RespondActivityTaskFailed", "RespondActivityTaskCanceled",
}

// Watch is a [grpc.UnaryClientInterceptor] for the connection to Temporal, see Doubted.
func (a *Attempts) Watch(ctx context.Context, method string, req, reply any, conn *grpc.ClientConn, invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	err := invoke(ctx, method, req, reply, conn, opts...)
	if err != nil && slices.Contains(carriesActivities, path.Base(method)) {
		a.doubted.Store(true)
	}
	return err
}

var _ grpc.UnaryClientInterceptor = (*Attempts)(nil).Watch
