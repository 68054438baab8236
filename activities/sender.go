package activities

import (
	"cmp"
	"context"
	"errors"

	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/telemetry"
	"errand/internal/temporal/wire"
	"errand/notifiers"
)

// A Sender delivers the rows of the outbox. For the steps of each row see [deliverySteps].
type Sender struct {
	*worker
	voices      Voices
	sessions    Sessions
	notifiers   *notifiers.Router
	connections Connections
	settle      func(context.Context, core.Route) bool // nil: there are no previews of replies
	admits      func(context.Context, core.Account, core.PersonID) (bool, error)
	timing      *telemetry.Timing
	semaphores  *accountSemaphores
	liveness    *Liveness
}

func newSender(w *worker, d Deps) *Sender {
	return &Sender{
		worker: w, voices: Voices{Roster: d.Roster, Accounts: d.Accounts}, sessions: d.Sessions, notifiers: d.Notifiers,
		connections: d.Connections, settle: d.Settle, admits: d.Admits, timing: d.Metrics.Deliveries, semaphores: newAccountSemaphores(),
		liveness: cmp.Or(d.Liveness, new(Liveness)),
	}
}

// Notify sends rows at once if their chat has no older open rows. It leaves the others to the
// Outbox workflow of the chat.
func (s *Sender) Notify(ctx context.Context, in wire.NotifyInput) error {
	if err := s.at(in.Store); err != nil {
		return err
	}
	for _, id := range in.Rows {
		if err := s.notifyRow(ctx, id); err != nil {
			return failed(err)
		}
	}
	return nil
}

// notifyRow sends a row. It leaves the row to the Outbox workflow if a turn cannot wait for it:
// older rows come first, an earlier attempt died while sending, the row has a file, or sending
// failed.
func (s *Sender) notifyRow(ctx context.Context, id int64) error {
	n, err := s.store.NextOutboxOf(ctx, id)
	if err != nil || n == nil || n.ID > id {
		return err
	}
	if n.ID < id || n.State != core.Pending || n.File != nil || s.send(ctx, *n, notifyTimeout, sendFrom{moves: true, turn: true}) != nil {
		return s.sessions.WakeOutbox(ctx, n.Route)
	}
	next, err := s.store.NextOutbox(ctx, n.Route)
	if err != nil || next == nil || !next.Deletes() {
		return err
	}
	return s.sessions.WakeOutbox(ctx, n.Route) // the next row deletes a message above n
}

// notifyNow sends the rows that a step has just committed, and returns those that it leaves to the
// workflow. It continues when ctx ends, because a stop must not cut off a committed reply. If this
// process dies, the next attempt of the step finds the outcome with all rows, and the workflow
// sends them.
func (s *Sender) notifyNow(ctx context.Context, rows []int64) []int64 {
	ctx = context.WithoutCancel(ctx)
	for i, id := range rows {
		if err := s.notifyRow(ctx, id); err != nil {
			s.logger.Warn("notify failed; errand will retry it", "error", err)
			return rows[i:]
		}
	}
	return nil
}

// Deliver sends the open rows of a chat, the oldest first, until none is left. At the first row
// that cannot be sent it returns an error, and Temporal tries again. It ends early if another
// worker sends the next row. It also ends early if the time left is too short for the next row;
// then it wakes the workflow, which begins a new run.
func (s *Sender) Deliver(ctx context.Context, in wire.DeliverInput) (out wire.DeliverResult, err error) {
	if err := s.at(in.Store); err != nil {
		return out, err
	}
	if err := s.checkHeld(ctx, sendFrom{at: in.Moved.To}, in.Route); err != nil {
		return out, failed(err) // at once: another worker has the account
	}
	release, err := s.semaphores.acquire(ctx, sendFrom{at: in.Moved.To}.account(in.Route))
	if err != nil {
		return out, failed(err)
	}
	defer release()
	for ctx.Err() == nil {
		n, err := s.store.NextOutbox(ctx, in.Route)
		if err != nil || n == nil {
			return out, failed(err)
		}
		err = s.send(ctx, *n, deliverLimit(*n), sendFrom{at: in.Moved.To, named: in.Moved.Row == n.ID, moves: in.Moves})
		var moved *movedError
		switch {
		case errors.As(err, &moved):
			out.Moved = moved.next(n.ID)
			return out, nil
		case errors.Is(err, errNoTime):
			return out, failed(s.sessions.WakeOutbox(ctx, in.Route))
		case errors.Is(err, store.ErrClosed) || errors.Is(err, store.ErrNotFound):
			continue // dismissed meanwhile, or deleted with its session
		case err != nil:
			return out, failed(err)
		}
	}
	return out, ctx.Err() // the workflow asks for a new run
}

// toTheEnd returns a context that continues if the activity is canceled: a message that is cut off is
// in doubt. The context ends with the worker, or when the worker was taken for dead.
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
