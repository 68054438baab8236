package activities

import (
	"context"
	"errors"

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
		if err := a.notifyRow(ctx, id); err != nil {
			return failed(err)
		}
	}
	return nil
}

func (a *Activities) notifyRow(ctx context.Context, id int64) error {
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
	if n.File != nil { // a turn does not wait for an upload
		return a.Sessions.WakeOutbox(ctx, n.Route)
	}
	if older || n.NotBefore.After(a.Store.Now()) || !inTime(ctx, notifyTimeout) || !a.Notifiers.Handles(n.Route) {
		return a.Sessions.WakeOutbox(ctx, n.Route)
	}
	// A turn does not wait for an account that is down, or that another worker holds.
	if !a.Connections.Ready(n.Route.At()) || a.send(ctx, n, notifyTimeout, sendFrom{moves: true}) != nil {
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
		if err := a.notifyRow(ctx, id); err != nil {
			a.Logger.Warn("notify failed, will be tried again", "error", err)
			return rows[i:]
		}
	}
	return nil
}

// A DeliverInput names a chat, and which of our accounts the worker holds that is asked.
type DeliverInput struct {
	Store string       `json:"store"`
	Route errand.Route `json:"route"`
	// Moves says that a row may be moved to where another account is held.
	Moves bool `json:"moves,omitempty"`
	// Moved is set where one was, and when it is back.
	Moved Moved `json:"moved,omitzero"`
}

// A Moved says that a row is to be sent where another account than that of its route is
// held; without an account: where that is, and on no other. Without a row it says that
// what is open is sent where the account of the route is held, as if nothing was moved.
type Moved struct {
	Row int64           `json:"row,omitempty"`
	To  *errand.Account `json:"to,omitempty"`
}

// A DeliverResult says with which row a delivery goes on where another account is held;
// nil: nothing is open any more.
type DeliverResult struct {
	Moved *Moved `json:"moved,omitempty"`
}

// Deliver sends what is open for a chat, the oldest first, until nothing is.
// It fails, to be tried again, at the first that could not be sent. It ends early
// where its time does not suffice for the next: the workflow, which is told that
// there is more, begins anew; and where the next is for an account that another
// worker holds.
func (a *Activities) Deliver(ctx context.Context, in DeliverInput) (out DeliverResult, err error) {
	if err := a.at(in.Store); err != nil {
		return out, err
	}
	at := in.account()
	here, elsewhere, err := a.handles(ctx, at)
	switch {
	case err != nil:
		return out, failed(err)
	case elsewhere: // the next attempt may be made there
		return out, failed(elsewhereError(at))
	case !here: // the watchdog says so on the rows
		return out, failed(notifiers.NotSetUp(at))
	}
	defer beat(ctx)()
	release, err := a.semaphores.acquire(ctx, at)
	if err != nil {
		return out, failed(err)
	}
	defer release()
	sending, end := toTheEnd(ctx)
	defer end()
	for {
		if ctx.Err() != nil {
			return out, ctx.Err() // somebody is to begin anew
		}
		n, err := a.Store.NextOutbox(ctx, in.Route)
		if err != nil || n == nil {
			return out, failed(err)
		}
		if wait := n.NotBefore.Sub(a.Store.Now()); wait > 0 {
			return out, failed(&notifiers.SendError{Outcome: notifiers.NotSent, RetryAfter: wait, Err: errors.New("the platform has asked to wait")})
		}
		limit := deliverLimit(*n)
		if !inTime(ctx, limit) {
			return out, failed(a.Sessions.WakeOutbox(ctx, in.Route))
		}
		err = a.send(sending, *n, limit, in.from(n.ID))
		var moved *movedError
		switch {
		case errors.As(err, &moved):
			out.Moved = moved.next(n.ID)
			return out, nil
		case errors.Is(err, store.ErrClosed) || errors.Is(err, store.ErrNotFound):
			continue // dismissed meanwhile, or gone with its session
		case err != nil:
			return out, failed(err)
		}
	}
}

func (in DeliverInput) account() errand.Account {
	if in.Moved.To != nil {
		return *in.Moved.To
	}
	return in.Route.At()
}

func (in DeliverInput) from(row int64) sendFrom {
	return sendFrom{at: in.Moved.To, named: in.Moved.Row == row, moves: in.Moves}
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
