package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/temporal"

	"errand"
	"errand/internal/store"
	"errand/notifiers"
)

// A NotifyInput names rows of the outbox that were just written.
type NotifyInput struct {
	Store string  `json:"store"`
	Rows  []int64 `json:"rows"`
}

// Notify sends rows at once, if nothing older of their chat is open. Whatever
// cannot be sent now is left to the Outbox workflow of the chat.
func (a *Activities) Notify(ctx context.Context, in NotifyInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	for _, id := range in.Rows {
		if err := a.notify(ctx, id); err != nil {
			return failed(err)
		}
	}
	return nil
}

func (a *Activities) notify(ctx context.Context, id int64) error {
	n, err := a.Store.Notification(ctx, id)
	if err != nil {
		return err
	}
	if n.State != errand.Pending {
		if n.State.Open() { // an earlier attempt died while sending
			return a.Sessions.WakeOutbox(ctx, n.Route)
		}
		return nil
	}
	older, err := a.Store.OlderOpen(ctx, n)
	if err != nil {
		return err
	}
	if older || n.NotBefore.After(time.Now()) || !inTime(ctx, notifyTimeout) || !a.Notifiers.Handles(n.Route) {
		return a.Sessions.WakeOutbox(ctx, n.Route)
	}
	// A turn does not wait for an account that is down.
	ready, err := a.Connections.Ready(ctx, n.Route.At())
	if err != nil {
		return err
	}
	if !ready || a.send(ctx, n, notifyTimeout) != nil {
		return a.Sessions.WakeOutbox(ctx, n.Route)
	}
	return nil
}

// notifyNow sends the rows that a step has just committed, without a detour by the
// workflow, and returns those that are left to it. A stop that comes now must not
// cut off what has been said already. If this process dies here, the next attempt
// of the step has its outcome with every row, and the workflow sees to them.
func (a *Activities) notifyNow(ctx context.Context, rows []int64) []int64 {
	ctx = context.WithoutCancel(ctx)
	for i, id := range rows {
		if err := a.notify(ctx, id); err != nil {
			a.Logger.Warn("notify failed, will be tried again", "error", err)
			return rows[i:]
		}
	}
	return nil
}

// A DeliverInput names a chat.
type DeliverInput struct {
	Store string       `json:"store"`
	Route errand.Route `json:"route"`
}

// Deliver sends what is open for a chat, the oldest first, until nothing is.
// It fails, to be tried again, at the first that could not be sent. It ends early
// where its time does not suffice for the next: the workflow, which is told that
// there is more, begins anew.
func (a *Activities) Deliver(ctx context.Context, in DeliverInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	here, elsewhere, err := a.handles(ctx, in.Route)
	switch {
	case err != nil:
		return failed(err)
	case elsewhere: // the next attempt may be made there
		return failed(fmt.Errorf("%s: %w", in.Route.At(), errElsewhere))
	case !here: // the watchdog says so on the rows
		return failed(notifiers.NotSetUp(in.Route.At()))
	}
	defer beat(ctx)()
	release, err := a.semaphores.of(in.Route.At()).acquire(ctx)
	if err != nil {
		return failed(err)
	}
	defer release()
	sending, end := toTheEnd(ctx)
	defer end()
	for {
		if ctx.Err() != nil {
			return ctx.Err() // somebody is to begin anew
		}
		n, err := a.Store.NextOutbox(ctx, in.Route)
		if err != nil || n == nil {
			return failed(err)
		}
		if wait := time.Until(n.NotBefore); wait > 0 {
			return failed(&notifiers.SendError{Outcome: notifiers.NotSent, RetryAfter: wait, Err: errors.New("the platform has asked to wait")})
		}
		limit := deliverLimit(n.Text)
		if !inTime(ctx, limit) {
			return failed(a.Sessions.WakeOutbox(ctx, in.Route))
		}
		err = a.send(sending, *n, limit)
		if errors.Is(err, store.ErrClosed) || errors.Is(err, store.ErrNotFound) {
			continue // dismissed meanwhile, or gone with its session
		}
		if err != nil {
			return failed(err)
		}
	}
}

// toTheEnd returns a context of the activity's that goes on when the activity is
// canceled, or Temporal does not hear of it any more: a message that is cut off is
// one in doubt, and nobody else sends it before its lease is over. It ends with the
// worker.
func toTheEnd(ctx context.Context) (context.Context, func()) {
	sending, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		var away serviceerror.ServiceError
		if cause := context.Cause(ctx); !temporal.IsCanceledError(cause) && !errors.As(cause, &away) {
			cancel(cause)
		}
	})
	return sending, func() {
		stop()
		cancel(nil)
	}
}
