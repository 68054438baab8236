package workflows

import (
	"net/url"
	"strings"

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

// deliveryQueue is where what is told on a route is sent. On WhatsApp only whoever
// holds the connection can send.
func deliveryQueue(ctx workflow.Context, r errand.Route) string {
	switch {
	case workflow.GetVersion(ctx, "delivery-queue", workflow.DefaultVersion, 1) == workflow.DefaultVersion:
		return TaskQueue
	case r.Channel == errand.ChannelWhatsApp:
		return OwnerQueue(r.At())
	}
	return DeliveryQueue
}

// Outbox delivers what is open for one chat, in order, and lives for as long as
// something is. It is patient without limit: a delivery that fails is tried again
// after a pause, which the signal hasten cuts short.
func Outbox(ctx workflow.Context, in OutboxInput) error {
	o := &outbox{in: in, queue: deliveryQueue(ctx, in.Route), wake: workflow.GetSignalChannel(ctx, SignalWake)}
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
	attempts, cancel := workflow.WithCancel(ctx)
	defer cancel()
	done := workflow.ExecuteActivity(forDelivery(attempts, o.queue, o.in.Again, o.hasten != nil), acts.Deliver, activities.DeliverInput{Store: o.in.Store, Route: o.in.Route})
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
	err = done.Get(ctx, nil)
	if hastened && ctx.Err() == nil {
		return true, nil
	}
	return false, err
}
