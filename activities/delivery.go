package activities

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"errand/internal/core"
	"errand/internal/probe"
	"errand/notifiers"
)

// deliverySteps are the steps of one attempt to send a row, in order.
//
// An error of a step ends the attempt and leaves the row as it is, unless the step says otherwise.
// A step that sets the outcome ends the attempt too, and [delivery.record] records the outcome.
var deliverySteps = [...]func(*delivery, context.Context) (context.Context, error){
	// Time: may the row be sent now, and does this run last long enough?
	(*delivery).checkTime,
	// Account: on which account is the row sent, and does this worker hold that account? If not,
	// the row is moved or left to the worker that does.
	(*delivery).chooseAccount,
	// Growing message: was the reply shown while it grew? Then this waits for the last change.
	(*delivery).awaitGrowing,
	// Pace: does the platform permit a message now? This waits, or postpones the row.
	(*delivery).awaitPace,
	// Lease: from now on the row is "sending", and belongs to this worker.
	(*delivery).takeLease,
	// Repeat: has an earlier attempt arrived? Then the row is sent. If the platform cannot report
	// that, the message says that it may be a repeat.
	(*delivery).findArrived,
	// Send: sent, refused, moved back to the chat's account, unsent, or unknown.
	(*delivery).callPlatform,
}

// A delivery is one attempt to send a row of the outbox.
type delivery struct {
	*Sender
	row   core.Notification // as it was before this attempt
	limit time.Duration     // for the calls to the platform
	from  sendFrom

	runEnds    time.Time           // zero: never
	candidates []core.Notification // the row as each account would send it, the best first
	first      int                 // index of the first candidate that this worker sends
	last       int
	leaseEnds  time.Time // without leaseSlack
	release    context.CancelFunc
	doubt      bool // it may have arrived, and the platform cannot report it

	outcome deliveryOutcome
	by      core.Account // the account that sent it
	receipt notifiers.Receipt
	cause   error // of an outcome other than sent
}

// A deliveryOutcome is the outcome of an attempt. See [delivery.record] for what each one means.
type deliveryOutcome string

const (
	outcomeSent    deliveryOutcome = "sent"
	outcomeRefused deliveryOutcome = "refused" // for good
	outcomeMoved   deliveryOutcome = "moved"   // refused on the account that the row was moved to
	outcomeUnsent  deliveryOutcome = "unsent"
)

// send makes one attempt for one row and records the outcome. It sets the state "sending" before it
// calls the platform, so that a crash leaves the row in doubt instead of unsent. It sets the state
// only when the platform may be called, so that the state lasts a short time.
func (s *Sender) send(ctx context.Context, n core.Notification, limit time.Duration, from sendFrom) error {
	d := &delivery{Sender: s, row: n, limit: limit, from: from, release: func() {}}
	d.runEnds, _ = ctx.Deadline()
	sending, end := toTheEnd(ctx)
	defer end()
	defer func() { d.release() }()
	for _, step := range deliverySteps {
		var err error
		if sending, err = step(d, sending); err != nil {
			return err
		}
		if d.outcome != "" {
			break
		}
	}
	return d.record(context.WithoutCancel(ctx)) // also when time is up
}

// maxDeliverTime is well within one run of Deliver.
const (
	notifyTimeout   = 5 * time.Second
	deliverTimeout  = 30 * time.Second
	deliverThousand = 2 * time.Second // added for each 1,000 bytes
	deliverMegabyte = 8 * time.Second // added for each 1,000,000 bytes of a file
	maxDeliverTime  = 5 * time.Minute
)

func deliverLimit(n core.Notification) time.Duration {
	limit := deliverTimeout + deliverThousand*time.Duration(len(n.Text)/1000)
	if n.File != nil {
		limit += deliverMegabyte * time.Duration(n.File.Size/1_000_000+1)
	}
	return min(maxDeliverTime, limit)
}

func patience(limit time.Duration) time.Duration { return min(limit, deliverTimeout) / 2 }

// errNoTime means that the activity would end during the attempt, which would leave the row in
// doubt.
var errNoTime = errors.New("this run ends before the attempt would")

func (d *delivery) checkTime(ctx context.Context) (context.Context, error) {
	if wait := d.row.NotBefore.Sub(d.store.Now()); wait > 0 {
		return ctx, &notifiers.SendError{Outcome: notifiers.NotSent, RetryAfter: wait, Err: errors.New("the platform has asked to wait")}
	}
	if !d.runEnds.IsZero() && time.Until(d.runEnds) < patience(d.limit)+d.limit {
		return ctx, errNoTime
	}
	return ctx, nil
}

// awaitGrowing waits for the last change of the growing message. A call in progress then records
// its message in the row, where takeLease reads it.
func (d *delivery) awaitGrowing(ctx context.Context) (context.Context, error) {
	if d.settle != nil {
		d.settle(ctx, d.row.Route)
	}
	return ctx, nil
}

// awaitPace waits only for a row that was never tried: a crash during the wait leaves no doubt. A
// row that was tried is in doubt already, and another worker may be sending it.
func (d *delivery) awaitPace(ctx context.Context) (context.Context, error) {
	if d.row.State != core.Pending {
		return ctx, nil
	}
	permitted, err := d.notifiers.WaitToSend(ctx, d.sendable()[0].Route, patience(d.limit))
	if err != nil {
		return ctx, errors.Join(err, d.store.MarkUnsent(context.WithoutCancel(ctx), d.row.ID, "", err.Error(), waitFor(err)))
	}
	return permitted, nil
}

// leaseSlack is the time in which a sender records the outcome, after its lease and before another
// worker may take the row.
const leaseSlack = 5 * time.Second

// takeLease leases the row to this worker, by the store's clock. If the worker is suspended for
// longer than the lease, it neither calls the platform for the row nor records an outcome. The
// worker measures the lease from before the call of the store, so it never counts more time than it
// has.
func (d *delivery) takeLease(ctx context.Context) (context.Context, error) {
	if at := d.sendable()[0].Route.At(); !d.connections.Holds(at) { // another worker took it over during the wait
		return ctx, elsewhereError(at)
	}
	if !d.liveness.IsAlive() {
		return ctx, errStoodStill
	}
	d.leaseEnds = time.Now().Add(d.limit)
	row, err := d.store.MarkSending(ctx, d.row.ID, d.limit+leaseSlack)
	if err != nil {
		return ctx, err
	}
	d.row, d.candidates = row, d.voices.candidates(row)
	alive, end := d.liveness.WhileAlive(ctx)
	ctx, cancel := context.WithDeadline(alive, d.leaseEnds)
	d.release = func() { cancel(); end() }
	return ctx, nil
}

func (d *delivery) findArrived(ctx context.Context) (context.Context, error) {
	if d.row.State == core.Pending {
		return ctx, nil
	}
	last := len(d.candidates) - 1
	for i, v := range d.candidates {
		receipt, arrived, err := d.notifiers.Delivered(ctx, v)
		switch {
		case arrived && err == nil:
			d.outcome = outcomeSent
			d.by, d.receipt = v.Route.At(), receipt
			return ctx, nil
		case errors.Is(err, notifiers.ErrCannotCheck):
			d.doubt = true
		case err != nil && i == last:
			d.outcome, d.cause = outcomeUnsent, err
			if isRefused(err) { // a retry would be refused, too
				d.outcome = outcomeRefused
			}
			d.doubt = true
			return ctx, nil
		case err != nil && !isRefused(err):
			d.doubt = true // an account that cannot be asked must not hold up the chat
		}
	}
	if d.doubt {
		for i := range d.candidates {
			d.candidates[i].Repeated = true
		}
	} else if last > 0 {
		// A platform shows the same message once, but not if two accounts send it. The next
		// attempt must know of the doubt, too.
		d.candidates[last].Repeated, d.doubt = true, true
	}
	return ctx, nil
}

// errStoodStill means that another worker may be sending the row, which is in doubt.
var errStoodStill = errors.New("this worker was paused or cut off, and another may be sending the message")

func (d *delivery) callPlatform(ctx context.Context) (context.Context, error) {
	d.probe.At(probe.BeforeSend)
	began := time.Now()
	if !began.Before(d.leaseEnds) || !d.liveness.IsAlive() {
		return ctx, fmt.Errorf("outbox row %d: %w", d.row.ID, errStoodStill)
	}
	err := d.loadFile(ctx)
	if err == nil {
		err = d.notifyFirst(ctx)
	}
	d.observe(began, err)
	d.probe.At(probe.BeforeReceipt)
	if err == nil {
		d.outcome = outcomeSent
		return ctx, nil
	}
	var send *notifiers.SendError
	if !errors.As(err, &send) {
		send = &notifiers.SendError{Outcome: notifiers.Unknown, Err: err}
	}
	d.cause = send
	switch {
	case send.Outcome == notifiers.Refused && d.from.at != nil && !send.Started:
		d.outcome = outcomeMoved
	case send.Outcome == notifiers.Refused:
		d.outcome, d.doubt = outcomeRefused, d.doubt || send.Started
	default:
		d.outcome, d.doubt = outcomeUnsent, d.doubt || send.Outcome != notifiers.NotSent
	}
	level := slog.LevelWarn
	if send.Outcome == notifiers.NotSent && d.row.Attempts == 0 {
		level = slog.LevelInfo // it only has to wait
	}
	d.logger.Log(ctx, level, "delivery failed", "channel", d.row.Route.Channel, "chat", d.row.Route.Chat, "task", d.row.Task,
		"attempt", d.row.Attempts+1, "error", send)
	return ctx, nil
}

func (d *delivery) notifyFirst(ctx context.Context) (err error) {
	for _, v := range d.sendable() {
		if err != nil {
			d.logger.Info("agent's own account may not send the delivery; the chat's account sends it", "channel", d.by.Channel, "account", d.by.Name, "error", err)
		}
		d.by = v.Route.At()
		if d.receipt, err = d.notifiers.Notify(ctx, v); !isRefused(err) {
			return err
		}
	}
	return err
}
