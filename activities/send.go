package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"errand"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/notifiers"
)

// How long one attempt may take: inside a turn, and outside of it, where a long
// text has time for all its parts. The longest is well within one run of Deliver.
const (
	notifyTimeout   = 5 * time.Second
	deliverTimeout  = 30 * time.Second
	deliverThousand = 2 * time.Second // more for each 1,000 bytes
	deliverMegabyte = 8 * time.Second // more for each 1,000,000 bytes of a file
	deliverLongest  = 5 * time.Minute
)

func deliverLimit(n errand.Notification) time.Duration {
	limit := deliverTimeout + deliverThousand*time.Duration(len(n.Text)/1000)
	if n.File != nil {
		limit += deliverMegabyte * time.Duration(n.File.Size/1_000_000+1)
	}
	return min(deliverLongest, limit)
}

// patience is how long an attempt waits for its pace before it begins.
func patience(limit time.Duration) time.Duration { return min(limit, deliverTimeout) / 2 }

// inTime reports whether an attempt comes to its end before ctx does: one that is
// cut off is in doubt.
func inTime(ctx context.Context, limit time.Duration) bool {
	end, ok := ctx.Deadline()
	return !ok || time.Until(end) >= patience(limit)+limit
}

// leaseSlack is how much longer than its attempt a sender has a row to itself:
// time enough to note what came of it.
const leaseSlack = 5 * time.Second

// errStoodStill says that an attempt took so long to begin that another worker may be
// making it. Its row is in doubt.
var errStoodStill = errors.New("this worker has stood still, and another may be sending it")

// send makes one attempt for one row and notes what came of it. The state
// "sending" is written before the platform is called, so that a crash leaves
// the row in doubt rather than unsent; and only when the platform may be called,
// so that it is short.
//
// One worker sends on an account, and one sends a row. The first is for the pace, and
// is looked at before anything is noted. The second is the lease of the row, by the
// store's clock: whoever has stood still for longer than that neither calls the
// platform for the row nor notes anything of it.
func (a *Activities) send(ctx context.Context, n errand.Notification, limit time.Duration, from sendFrom) error {
	stored := context.WithoutCancel(ctx) // what is known of an attempt is noted even when time is up
	candidates := a.candidates(n)
	reachable, err := a.reachable(ctx, candidates, from)
	if err != nil {
		return err
	}
	first := reachable[0].Route
	ctx, err = a.permit(ctx, n, first, patience(limit))
	switch {
	case err != nil:
		return err
	case !a.Connections.Holds(first.At()): // another has taken over while it waited
		return elsewhereError(first.At())
	}
	if err := a.takePreview(ctx, n, candidates); err != nil {
		return err
	}
	end := time.Now().Add(limit)
	mine := end.Add(leaseSlack) // until then, at least: the lease begins later
	before, err := a.Store.MarkSending(ctx, n.ID, limit+leaseSlack)
	if err != nil {
		return err
	}
	note := func(mark func(context.Context) error) error { return noteBefore(stored, mine, mark) }
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	unknown := false // an earlier attempt may have arrived, and nobody can find out
	if before != errand.Pending {
		var by errand.Account
		var receipt notifiers.Receipt
		by, receipt, unknown, err = a.arrived(ctx, candidates)
		switch {
		case isRefused(err): // it may have arrived, and asking again is as much in vain
			return note(func(ctx context.Context) error { return a.block(ctx, n, err.Error(), isGone(err), true) })
		case err != nil:
			return errors.Join(err, note(func(ctx context.Context) error {
				return a.Store.MarkUnknown(ctx, n.ID, err.Error(), waitFor(err))
			}))
		case by.Name != "":
			return a.sent(stored, n, by, receipt, mine)
		case unknown:
			for i := range candidates {
				candidates[i].Repeated = true
			}
		case len(candidates) > 1:
			// A platform shows the same once, but not from two accounts: the next
			// attempt has to know it, too.
			candidates[len(candidates)-1].Repeated, unknown = true, true
		}
	}
	a.Probe.At(probe.BeforeSend)
	began := time.Now()
	if !began.Before(end) {
		return fmt.Errorf("outbox row %d: %w", n.ID, errStoodStill)
	}
	by, receipt, err := errand.Account{}, notifiers.Receipt{}, a.loadFile(ctx, reachable)
	if err == nil {
		by, receipt, err = a.sendFirst(ctx, reachable)
	}
	a.observeDelivery(n.Route.Channel, began, err)
	a.Probe.At(probe.BeforeReceipt)
	if err == nil {
		return a.sent(stored, n, by, receipt, mine)
	}
	var send *notifiers.SendError
	if !errors.As(err, &send) {
		send = &notifiers.SendError{Outcome: notifiers.Unknown, Err: err}
	}
	level := slog.LevelWarn
	if send.Outcome == notifiers.NotSent && n.Attempts == 0 {
		level = slog.LevelInfo // it has only to wait, for its pace or a moment
	}
	a.Logger.Log(ctx, level, "delivery failed", "channel", n.Route.Channel, "chat", n.Route.Chat, "task", n.Task, "attempt", n.Attempts+1, "error", send)
	switch {
	case send.Outcome == notifiers.Refused && from.at != nil && !send.Started:
		return errors.Join(&movedError{home: true}, note(func(ctx context.Context) error {
			if unknown {
				return a.Store.MarkUnknown(ctx, n.ID, send.Error(), 0)
			}
			return a.Store.MarkPending(ctx, n.ID, send.Error(), 0)
		}))
	case send.Outcome == notifiers.Refused:
		// For a person to decide. The next row does not wait for it.
		return note(func(ctx context.Context) error {
			return a.block(ctx, n, send.Error(), send.ChatGone, unknown || send.Started)
		})
	case send.Outcome == notifiers.NotSent && !unknown:
		return errors.Join(send, note(func(ctx context.Context) error {
			return a.Store.MarkPending(ctx, n.ID, send.Error(), waitFor(send))
		}))
	default:
		return errors.Join(send, note(func(ctx context.Context) error {
			return a.Store.MarkUnknown(ctx, n.ID, send.Error(), waitFor(send))
		}))
	}
}

// noteBefore notes what came of an attempt, again and again for as long as the row
// is this sender's: where it cannot be noted, the row is in doubt, and what arrived
// may be sent twice.
func noteBefore(ctx context.Context, end time.Time, mark func(context.Context) error) error {
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	for wait := 50 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		err := mark(ctx)
		if err == nil || errors.Is(err, store.ErrNotFound) || errors.Is(err, store.ErrClosed) || time.Until(end) <= wait {
			return err
		}
		time.Sleep(wait)
	}
}

// sent notes that a row was delivered. If its chat has refused others before, they
// are tried again by the Outbox workflow: a turn does not wait for it. What another
// account delivered says nothing of the one that was refused.
func (a *Activities) sent(ctx context.Context, n errand.Notification, by errand.Account, receipt notifiers.Receipt, mine time.Time) error {
	err := noteBefore(ctx, mine, func(ctx context.Context) error {
		// First, so that a kill between the two has both done again: each has its key.
		if err := a.announceAnswer(ctx, n, receipt); err != nil {
			return err
		}
		return a.Store.MarkSent(ctx, n.ID, by.Name, receipt.IDs)
	})
	if err != nil || by != n.Route.At() {
		return err
	}
	reopened, err := a.Store.Reopen(ctx, n)
	if err == nil && reopened > 0 {
		a.Logger.Info("the chat takes messages again: what it refused is tried once more", "channel", n.Route.Channel, "chat", n.Route.Chat, "deliveries", reopened)
		err = a.Sessions.WakeOutbox(ctx, n.Route)
	}
	if err != nil { // this one was delivered all the same
		a.Logger.Warn("what the chat refused is not tried again yet", "channel", n.Route.Channel, "chat", n.Route.Chat, "error", err)
	}
	return nil
}

// permit waits until the platform may be called for a row that was never tried, for
// no longer than patience: while it waits, it has not arrived for certain. One that
// may have arrived is in doubt as it is, and somebody may be sending it.
func (a *Activities) permit(ctx context.Context, n errand.Notification, to errand.Route, patience time.Duration) (context.Context, error) {
	if n.State != errand.Pending {
		return ctx, nil
	}
	may, err := a.Notifiers.WaitToSend(ctx, to, patience)
	if err != nil {
		return ctx, errors.Join(err, a.Store.Postpone(context.WithoutCancel(ctx), n.ID, err.Error(), waitFor(err)))
	}
	return may, nil
}

// waitFor is how long the platform has asked to wait, which a row has to. For an
// account that cannot send it waits only as long as that is so.
func waitFor(err error) time.Duration {
	var send *notifiers.SendError
	if errors.As(err, &send) && !send.AccountDown {
		return send.RetryAfter
	}
	return 0
}

// isGone reports whether something was refused because its chat is gone.
func isGone(err error) bool {
	var send *notifiers.SendError
	return errors.As(err, &send) && send.ChatGone
}
