package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// awaitFor waits until cond holds, at most for d, and reports whether it holds.
// Unlike workflow.AwaitWithTimeout it leaves no timer behind.
//
// A server lets requests of a workflow go before its timers. One that is signalled all the
// time may see its timer minutes late: then the clock counts, at the next signal.
func awaitFor(ctx workflow.Context, d time.Duration, cond func() bool) (bool, error) {
	if cond() {
		return true, nil
	}
	timerCtx, cancel := workflow.WithCancel(ctx)
	defer cancel()
	end := workflow.Now(ctx).Add(d)
	timer := workflow.NewTimer(timerCtx, d)
	err := workflow.Await(ctx, func() bool { return cond() || timer.IsReady() || !workflow.Now(ctx).Before(end) })
	return cond(), err
}
