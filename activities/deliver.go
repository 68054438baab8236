package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"

	"errand"
	"errand/notifiers"
	"errand/store"
)

// A NotifyInput names rows of the outbox that were just written.
type NotifyInput struct {
	Store string  `json:"store"`
	Rows  []int64 `json:"rows"`
}

// How long one attempt may take: inside a turn, and outside of it.
const (
	notifyTimeout  = 5 * time.Second
	deliverTimeout = 30 * time.Second
)

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
	older, err := a.Store.OlderOpen(ctx, id)
	if err != nil {
		return err
	}
	if older || n.NotBefore.After(time.Now()) {
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

// told sends the rows that a step has just committed, without a detour by the
// workflow, and returns those that are left to it. A stop that comes now must not
// cut off what has been said already. If this process dies here, the next attempt
// of the step has its outcome with every row, and the workflow sees to them.
func (a *Activities) told(ctx context.Context, rows []int64) []int64 {
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
// It fails, to be tried again, at the first that could not be sent.
func (a *Activities) Deliver(ctx context.Context, in DeliverInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	defer beat(ctx)()
	leave, err := a.lanes.of(in.Route.At()).enter(ctx)
	if err != nil {
		return failed(err)
	}
	defer leave()
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
			return failed(&notifiers.SendError{Fate: notifiers.NotSent, RetryAfter: wait, Err: errors.New("the platform has asked to wait")})
		}
		err = a.send(sending, *n, deliverTimeout)
		if err != nil && !errors.Is(err, store.ErrClosed) { // closed: dismissed meanwhile
			return failed(err)
		}
	}
}

// toTheEnd returns a context of the activity's that goes on when the activity is
// canceled: a message that is cut off is one in doubt. It ends with the worker.
func toTheEnd(ctx context.Context) (context.Context, func()) {
	sending, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if cause := context.Cause(ctx); !temporal.IsCanceledError(cause) {
			cancel(cause)
		}
	})
	return sending, func() {
		stop()
		cancel(nil)
	}
}

// repeating marks a message that may have arrived before.
const repeating = "Repeating this in case it did not arrive:\n"

// leaseSlack is how much longer than its attempt a sender has a row to itself:
// time enough to note what came of it.
const leaseSlack = 5 * time.Second

// send makes one attempt for one row and notes what came of it. The state
// "sending" is written before the platform is called, so that a crash leaves
// the row in doubt rather than unsent; and only when the platform may be called,
// so that it is short.
func (a *Activities) send(ctx context.Context, n errand.Notification, limit time.Duration) error {
	stored := context.WithoutCancel(ctx) // what is known of an attempt is noted even when time is up
	voices := a.voices(n)
	able := a.able(ctx, voices)
	ctx, err := a.permit(ctx, n, able[0].Route, limit)
	if err != nil {
		return err
	}
	before, err := a.Store.MarkSending(ctx, n.ID, limit+leaseSlack)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	doubt := false // an earlier attempt may have arrived, and nobody can find out
	if before != errand.Pending {
		var by errand.Account
		var receipt notifiers.Receipt
		by, receipt, doubt, err = a.arrived(ctx, voices)
		switch {
		case err != nil:
			return errors.Join(err, a.Store.MarkUnknown(stored, n.ID, err.Error(), retryAfter(err)))
		case by.Name != "":
			return a.Store.MarkSentBy(stored, n.ID, by.Name, receipt.IDs)
		case doubt:
			for i := range voices {
				voices[i].Text = repeating + voices[i].Text
			}
		case len(voices) > 1:
			// A platform shows the same once, but not from two accounts.
			last := &voices[len(voices)-1]
			last.Text = repeating + last.Text
		}
	}
	a.Probe("before send")
	by, receipt, err := a.speak(ctx, able)
	a.Probe("before receipt")
	if err == nil {
		return a.Store.MarkSentBy(stored, n.ID, by.Name, receipt.IDs)
	}
	var send *notifiers.SendError
	if !errors.As(err, &send) {
		send = &notifiers.SendError{Fate: notifiers.Doubt, Err: err}
	}
	a.Logger.Warn("delivery failed", "channel", n.Route.Channel, "chat", n.Route.Chat, "task", n.Task, "attempt", n.Attempts+1, "error", send)
	switch {
	case send.Fate == notifiers.Refused:
		// For a person to decide. The next row does not wait for it.
		return a.Store.MarkBlocked(stored, n.ID, send.Error())
	case send.Fate == notifiers.NotSent && !doubt:
		return errors.Join(send, a.Store.MarkPending(stored, n.ID, send.Error(), send.RetryAfter))
	default:
		return errors.Join(send, a.Store.MarkUnknown(stored, n.ID, send.Error(), send.RetryAfter))
	}
}

// permit waits until the platform may be called for a row that was never tried, for
// no longer than half of limit: while it waits, it has not arrived for certain. One
// that may have arrived is in doubt as it is, and somebody may be sending it.
func (a *Activities) permit(ctx context.Context, n errand.Notification, to errand.Route, limit time.Duration) (context.Context, error) {
	if n.State != errand.Pending {
		return ctx, nil
	}
	may, err := a.Notifiers.Pace(ctx, to, limit/2)
	if err != nil {
		return ctx, errors.Join(err, a.Store.Postpone(context.WithoutCancel(ctx), n.ID, err.Error(), retryAfter(err)))
	}
	return may, nil
}

// retryAfter is how long the platform has asked to wait.
func retryAfter(err error) time.Duration {
	var send *notifiers.SendError
	if errors.As(err, &send) {
		return send.RetryAfter
	}
	return 0
}
