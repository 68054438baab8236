package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"errand/internal/store"
)

const (
	firstKeepPause   = 100 * time.Millisecond
	longestKeepPause = 5 * time.Second
)

func (t *Thinker) commitStep(ctx context.Context, in store.CommitStep) (out store.StepResult, err error) {
	err = t.keep(ctx, func(ctx context.Context) (err error) {
		out, err = t.store.CommitStep(ctx, in)
		return err
	})
	return out, err
}

// keep commits an outcome that exists outside of errand: an answer that was paid for, or the result
// of a tool. If the store fails, it retries for up to [store.KeepOutcome] or until the worker
// stops. It ignores the end of ctx, because another attempt would pay again or could not know what
// the tool did. The transaction itself refuses a turn that is closed.
func (w *worker) keep(ctx context.Context, commit func(context.Context) error) error {
	var stopping <-chan struct{}
	if activity.IsActivity(ctx) {
		stopping = activity.GetWorkerStopChannel(ctx)
	}
	over := time.NewTimer(store.KeepOutcome)
	defer over.Stop()
	for pause := firstKeepPause; ; pause = min(2*pause, longestKeepPause) {
		err := commit(context.WithoutCancel(ctx))
		if !store.IsAway(err) {
			return err
		}
		if pause == firstKeepPause {
			w.logger.Warn("store not reachable; errand keeps the outcome until it is back", "error", err)
		}
		select {
		case <-over.C:
			w.logger.Error("store not reachable for too long; outcome dropped", "error", err)
			return err
		case <-stopping:
			return err
		case <-time.After(pause):
		}
	}
}
