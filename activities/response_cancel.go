package activities

import (
	"context"
	"sync"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
)

type responseCanceler interface {
	CancelResponse(context.Context, core.PendingResponse) error
}

var _ responseCanceler = (*llm.Client)(nil)

// responses are model answers that run in the background at providers.
type responses struct {
	*worker
	model     Model
	abandoned sync.Mutex // held while abandoned answers are canceled
}

// abandonedTime limits all cancelations together, because another activity waits for them. It is
// less than the timeout of an activity of the store.
const abandonedTime = 2 * time.Second

// cancelAbandoned has providers cancel the answers of turns that are closed. It retries failures at
// the next call: when a turn or task ends, and daily.
func (r *responses) cancelAbandoned(ctx context.Context) {
	model, ok := r.model.(responseCanceler)
	if !ok {
		return
	}
	if !r.abandoned.TryLock() {
		return // another call is doing it
	}
	defer r.abandoned.Unlock()
	// The ctx of a stopped turn is canceled. A provider that does not respond must not delay a
	// stop.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), abandonedTime)
	defer cancel()
	list, err := r.store.Abandoned(ctx)
	if err != nil {
		r.logger.Warn("cannot read which answers are no longer needed", "error", err)
		return
	}
	for _, left := range list {
		err := model.CancelResponse(ctx, left.Response)
		if err == nil {
			err = r.store.ForgetAbandoned(ctx, left)
		}
		if err != nil {
			r.logger.Warn("an answer that is no longer needed may continue at its provider", "owner", left.Key.Owner, "turn", left.Key.Turn, "error", err)
		}
	}
}
