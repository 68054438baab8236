package activities

import (
	"context"
	"time"

	"errand"
	"errand/internal/llm"
)

// A responseCanceler is a capability of models: to end an answer that its provider makes
// in the background.
type responseCanceler interface {
	CancelResponse(context.Context, errand.PendingResponse) error
}

var _ responseCanceler = (*llm.Client)(nil)

// abandonedTime is what all these cancelations together may take of whatever else goes
// on: less than the time of an activity of the store.
const abandonedTime = 2 * time.Second

// cancelAbandoned has providers end the answers that nobody waits for: their turns are
// closed. What fails is left to the next time: when a turn or task is ended, and daily.
func (a *Activities) cancelAbandoned(ctx context.Context) {
	model, ok := a.Model.(responseCanceler)
	if !ok {
		return
	}
	if !a.abandoned.TryLock() {
		return // another is at it
	}
	defer a.abandoned.Unlock()
	// A turn that was stopped is canceled. A provider that does not answer holds up nobody's stop.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonedTime)
	defer cancel()
	list, err := a.Store.Abandoned(ctx)
	if err != nil {
		a.Logger.Warn("answers that nobody waits for are not known", "error", err)
		return
	}
	for _, left := range list {
		err := model.CancelResponse(ctx, left.Response)
		if err == nil {
			err = a.Store.ForgetAbandoned(ctx, left)
		}
		if err != nil {
			a.Logger.Warn("an answer that nobody waits for may go on at its provider", "owner", left.Key.Owner, "turn", left.Key.Turn, "error", err)
		}
	}
}
