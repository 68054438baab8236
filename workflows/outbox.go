package workflows

import (
	"errors"
	"net/url"
	"strings"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/activities"
)

// OutboxID is the id of the Outbox workflow of a chat, or of one thread of it.
func OutboxID(r errand.Route) string {
	parts := []string{"outbox", r.Channel, r.Account, r.Chat}
	if r.Thread != "" {
		parts = append(parts, r.Thread)
	}
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	return strings.Join(parts, "/")
}

// Versions of where what is told on a route is sent: on the queue of all, on one for
// deliveries, and where the account is held.
const (
	deliveriesApart  workflow.Version = 1 // only WhatsApp's where the account is held
	deliveriesByHome workflow.Version = 2
)

// deliveryQueue is where what is told on a route is sent, and whether a delivery may
// be moved to where another account is held.
func deliveryQueue(ctx workflow.Context, r errand.Route) (queue string, moves bool) {
	v := workflow.GetVersion(ctx, "delivery-queue", workflow.DefaultVersion, deliveriesByHome)
	switch {
	case v == workflow.DefaultVersion:
		return TaskQueue, false
	case r.Channel == errand.ChannelWhatsApp, v == deliveriesByHome && errand.HasConnections(r.Channel):
		return OwnerQueue(r.At()), v == deliveriesByHome
	}
	return DeliveryQueue, false
}

// Outbox delivers what is open for one chat, in order, and lives for as long as
// something is. It is patient without limit: a delivery that fails is tried again
// after a pause, which the signal hasten cuts short.
func Outbox(ctx workflow.Context, in OutboxInput) error {
	o := &outbox{in: in, wake: workflow.GetSignalChannel(ctx, SignalWake)}
	o.queue, o.moves = deliveryQueue(ctx, in.Route)
	if workflow.GetVersion(ctx, "hasten", workflow.DefaultVersion, 1) > workflow.DefaultVersion {
		o.hasten = workflow.GetSignalChannel(ctx, SignalHasten)
	}
	for {
		o.drain()
		hastened, err := o.deliver(ctx)
		switch {
		case err != nil:
			return err
		case !hastened && !o.wanted():
			return nil
		case workflow.GetInfo(ctx).GetContinueAsNewSuggested():
			return workflow.NewContinueAsNewError(ctx, Outbox, in)
		}
	}
}

type outbox struct {
	in    OutboxInput
	queue string
	moves bool // to where another account is held, and back
	wake  workflow.ReceiveChannel
	// hasten is nil in runs that began before there was such a signal.
	hasten workflow.ReceiveChannel
}

// drain forgets the signals: whatever they are about, what is open is looked at
// now.
func (o *outbox) drain() {
	for o.wake.ReceiveAsync(nil) {
	}
	for o.hasten != nil && o.hasten.ReceiveAsync(nil) {
	}
}

// wanted reports whether something may have come meanwhile.
func (o *outbox) wanted() bool {
	return o.wake.Len() > 0 || o.hasten != nil && o.hasten.Len() > 0
}

// deliver delivers until nothing is open, or somebody asks to begin at once with
// what is.
func (o *outbox) deliver(ctx workflow.Context) (hastened bool, err error) {
	next := &activities.Moved{}
	for next != nil && !hastened && err == nil {
		moved := *next
		hastened, next, err = o.deliverAt(ctx, moved)
		var late *temporal.TimeoutError
		if moved.To != nil && errors.As(err, &late) { // nobody holds that account any more
			next, err = &activities.Moved{Row: moved.Row}, nil
		}
		if next != nil && workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return true, nil // the next run begins anew
		}
	}
	return hastened, err
}

// deliverAt delivers where one account is held, and returns what is to be delivered
// where another is.
func (o *outbox) deliverAt(ctx workflow.Context, moved activities.Moved) (hastened bool, next *activities.Moved, err error) {
	attempts, cancel := workflow.WithCancel(ctx)
	defer cancel()
	options := forDelivery(attempts, o.queue, o.in.Again, o.hasten != nil)
	if moved.To != nil {
		options = forMovedDelivery(options, OwnerQueue(*moved.To))
	}
	done := workflow.ExecuteActivity(options, acts.Deliver, activities.DeliverInput{Store: o.in.Store, Route: o.in.Route, Moves: o.moves, Moved: moved})
	if o.hasten != nil {
		either := workflow.NewSelector(ctx)
		either.AddFuture(done, func(workflow.Future) {})
		either.AddReceive(o.hasten, func(c workflow.ReceiveChannel, _ bool) {
			c.Receive(ctx, nil)
			hastened = true
		})
		either.Select(ctx)
	}
	if hastened {
		cancel() // whether it was waiting, sending, or had failed: it is begun anew
	}
	var out activities.DeliverResult
	err = done.Get(ctx, &out)
	if hastened && ctx.Err() == nil {
		return true, nil, nil
	}
	return false, out.Moved, err
}
