package activities

import (
	"context"
	"time"

	"errand"
)

// How long a delivery waits for a change of the message that shows it, which is just being
// made, and how often it looks. A change that comes later finds no message: the delivery
// is a message of its own then, and the other one is taken away.
const (
	previewPatience = time.Second
	previewLook     = 20 * time.Millisecond
)

// takePreview has a row, where its text was shown while it was being written, told in the
// place of that. It is on the account of the row's route.
func (a *Activities) takePreview(ctx context.Context, n errand.Notification, candidates []errand.Notification) error {
	if n.File != nil {
		return nil
	}
	end := time.Now().Add(previewPatience)
	for {
		message, wait, err := a.Store.TakePreview(ctx, n)
		if err != nil {
			return err
		}
		if wait <= 0 || !time.Now().Add(previewLook).Before(end) {
			for i := range candidates {
				if candidates[i].Route == n.Route {
					candidates[i].Replaces = message
				}
			}
			return nil
		}
		select {
		case <-time.After(previewLook):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
