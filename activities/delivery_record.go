package activities

import (
	"cmp"
	"context"
	"errors"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	"errand/notifiers"
)

// record records the outcome of an attempt:
//
//	outcome    the row becomes              the attempt returns
//	sent       sent, with the receipts      nil
//	refused    blocked, for a person        nil: the next row does not wait for it
//	moved      pending or, if in doubt,     *movedError: the chat's account sends it
//	unsent     unknown                      the cause
func (d *delivery) record(ctx context.Context) error {
	result, wait := d.cause, waitFor(d.cause)
	switch d.outcome {
	case outcomeSent:
		return d.recordSent(ctx)
	case outcomeRefused:
		return d.whileLeased(ctx, d.block)
	case outcomeMoved:
		result, wait = &movedError{home: true}, 0
	}
	return errors.Join(result, d.whileLeased(ctx, func(ctx context.Context) error {
		if d.doubt {
			return d.store.MarkUnsent(ctx, d.row.ID, core.Unknown, d.cause.Error(), wait)
		}
		return d.store.MarkUnsent(ctx, d.row.ID, core.Pending, d.cause.Error(), wait)
	}))
}

// whileLeased records an outcome, and retries while this worker has the lease of the row. If the
// outcome is not recorded, the row is in doubt, and a message that arrived may be sent twice.
func (d *delivery) whileLeased(ctx context.Context, record func(context.Context) error) error {
	return recordBefore(ctx, d.leaseEnds.Add(leaseSlack), record)
}

func recordBefore(ctx context.Context, end time.Time, record func(context.Context) error) error {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		err := record(ctx)
		if err == nil || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrClosed) || time.Until(end) <= wait {
			return err
		}
		time.Sleep(wait)
	}
}

// recordSent also reopens the rows that the chat has refused before. The Outbox workflow sends
// them, because a turn does not wait for them. If another account sent this row, recordSent reopens
// nothing: that does not show that the chat takes messages of its own account again.
func (d *delivery) recordSent(ctx context.Context) error {
	n := d.row
	err := d.whileLeased(ctx, func(ctx context.Context) error {
		// Announce first: after a kill between the two calls, both run again, and both are
		// idempotent.
		if err := d.announceAnswer(ctx, n, d.receipt); err != nil {
			return err
		}
		return d.store.MarkSent(ctx, n.ID, d.by.Name, d.receipt.IDs)
	})
	if err != nil || d.by != n.Route.At() {
		return err
	}
	reopened, err := d.store.Reopen(ctx, n)
	if err == nil && reopened > 0 {
		d.logger.Info("chat accepts messages again; errand retries what it refused", "channel", n.Route.Channel, "chat", n.Route.Chat, "deliveries", reopened)
		err = d.sessions.WakeOutbox(ctx, n.Route)
	}
	if err != nil { // this row was delivered anyway
		d.logger.Warn("messages that the chat refused are not retried yet", "channel", n.Route.Channel, "chat", n.Route.Chat, "error", err)
	}
	return nil
}

// block records that the platform refuses the row for good. If the chat is gone, people learn in
// another chat where the result is. An answer that was requested in another chat is delivered
// there, unless it may have arrived here.
func (d *delivery) block(ctx context.Context) error {
	n, reason := d.row, d.cause.Error()
	if isGone(d.cause) {
		notified, err := d.notifyElsewhere(ctx, n)
		switch {
		case err != nil: // the row stays open, and is refused again
			return err
		case notified:
			reason += "; a private message tells the person who asked where the result is"
		}
	}
	if n.Source != "" && n.Task != "" && !d.doubt {
		delivered, err := d.answerWhereAsked(ctx, n)
		if err != nil {
			return err
		}
		if delivered {
			reason += "; the chat where the person asked gets it"
		}
	}
	return d.store.MarkBlocked(ctx, n.ID, cmp.Or(reason, "refused"), d.doubt)
}

func (d *delivery) observe(began time.Time, err error) {
	outcome := "sent"
	var send *notifiers.SendError
	switch {
	case err == nil:
	case !errors.As(err, &send) || send.Outcome == notifiers.Unknown:
		outcome = "unknown"
	case send.Outcome == notifiers.Refused:
		outcome = "refused"
	default:
		outcome = "not_sent"
	}
	d.timing.Observe(time.Since(began), d.row.Route.Channel, outcome)
}

// waitFor returns how long the platform asks to wait. It is 0 if the account is down: its rows wait
// only until it is back.
func waitFor(err error) time.Duration {
	var send *notifiers.SendError
	if errors.As(err, &send) && !send.AccountDown {
		return send.RetryAfter
	}
	return 0
}

func isGone(err error) bool {
	var send *notifiers.SendError
	return errors.As(err, &send) && send.ChatGone
}

func isRefused(err error) bool {
	var send *notifiers.SendError
	return errors.As(err, &send) && send.Outcome == notifiers.Refused
}
