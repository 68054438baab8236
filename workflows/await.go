package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// awaitFor waits until cond holds, for at most d, and reports whether it holds. Unlike
// workflow.AwaitWithTimeout it leaves no timer behind.
//
// A server processes the requests of a workflow before its timers. If a workflow receives signals
// all the time, its timer may fire minutes late. So awaitFor checks the clock at each signal, too.
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
