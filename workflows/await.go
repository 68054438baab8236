package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"
)

// awaitFor waits until cond holds, at most for d, and reports whether it holds.
// Unlike workflow.AwaitWithTimeout it leaves no timer behind.
func awaitFor(ctx workflow.Context, d time.Duration, cond func() bool) (bool, error) {
	if cond() {
		return true, nil
	}
	timerCtx, cancel := workflow.WithCancel(ctx)
	defer cancel()
	timer := workflow.NewTimer(timerCtx, d)
	err := workflow.Await(ctx, func() bool { return cond() || timer.IsReady() })
	return cond(), err
}
