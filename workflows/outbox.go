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

func deliveryQueue(r errand.Route) (queue string, moves bool) {
	if errand.HasConnections(r.Channel) {
		return OwnerQueue(r.At()), true
	}
	return DeliveryQueue, false
}

// Outbox delivers what is open for one chat, in order, and lives for as long as
// something is. It is patient without limit: a delivery that fails is tried again
// after a pause, which the signal hasten cuts short.
func Outbox(ctx workflow.Context, in OutboxInput) error {
	o := &outbox{in: in, wake: workflow.GetSignalChannel(ctx, SignalWake), hasten: workflow.GetSignalChannel(ctx, SignalHasten)}
	o.queue, o.moves = deliveryQueue(in.Route)
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
	in           OutboxInput
	queue        string
	moves        bool // to where another account is held, and back
	wake, hasten workflow.ReceiveChannel
}

// drain forgets the signals: whatever they are about, what is open is looked at
// now.
func (o *outbox) drain() {
	for o.wake.ReceiveAsync(nil) {
	}
	for o.hasten.ReceiveAsync(nil) {
	}
}

// wanted reports whether something may have come meanwhile.
func (o *outbox) wanted() bool {
	return o.wake.Len() > 0 || o.hasten.Len() > 0
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
	options := forDelivery(attempts, o.queue, o.in.Again)
	if moved.To != nil {
		options = forMovedDelivery(options, OwnerQueue(*moved.To))
	}
	done := workflow.ExecuteActivity(options, acts.Deliver, activities.DeliverInput{Store: o.in.Store, Route: o.in.Route, Moves: o.moves, Moved: moved})
	either := workflow.NewSelector(ctx)
	either.AddFuture(done, func(workflow.Future) {})
	either.AddReceive(o.hasten, func(c workflow.ReceiveChannel, _ bool) {
		c.Receive(ctx, nil)
		hastened = true
	})
	either.Select(ctx)
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
