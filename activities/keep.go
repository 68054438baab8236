package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"errand/internal/store"
)

// The pauses between two attempts to commit an outcome.
const (
	firstKeepPause   = 100 * time.Millisecond
	longestKeepPause = 5 * time.Second
)

// commitStep makes the outcome of a step durable, see [Activities.keep].
func (a *Activities) commitStep(ctx context.Context, in store.CommitStep) (out store.StepResult, err error) {
	err = a.keep(ctx, func(ctx context.Context) (err error) {
		out, err = a.Store.CommitStep(ctx, in)
		return err
	})
	return out, err
}

// keep commits what has happened outside of errand: an answer that is paid for, or the result
// of a tool. While the store is away it tries again, for [store.KeepOutcome] at most and until the worker
// stops. It goes on after ctx has ended: another attempt would pay again, or could not know
// what the tool did. A transaction that finds the turn closed refuses by itself.
func (a *Activities) keep(ctx context.Context, commit func(context.Context) error) error {
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
			a.Logger.Warn("the store is away: an outcome is kept until it is back", "error", err)
		}
		select {
		case <-over.C:
			a.Logger.Error("the store was away for too long: an outcome is dropped", "error", err)
			return err
		case <-stopping:
			return err
		case <-time.After(pause):
		}
	}
}
