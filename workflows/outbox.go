package workflows

import (
	"errors"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

func deliveryQueue(r core.Route) (queue string, moves bool) {
	if core.HasConnections(r.Channel) {
		return OwnerQueue(r.At()), true
	}
	return wire.DeliveryQueue, false
}

// Outbox delivers the open rows of one chat, in order, and runs while there are any. It never gives
// up: a failed delivery is retried after a pause, which the signal hasten cuts short.
func Outbox(ctx workflow.Context, in wire.OutboxInput) error {
	o := &outbox{in: in, wake: workflow.GetSignalChannel(ctx, wire.SignalWake), hasten: workflow.GetSignalChannel(ctx, wire.SignalHasten)}
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
	in           wire.OutboxInput
	queue        string
	moves        bool // it may use accounts that other workers hold
	wake, hasten workflow.ReceiveChannel
}

// drain discards the signals, because deliver looks at every open row now.
func (o *outbox) drain() {
	for o.wake.ReceiveAsync(nil) {
	}
	for o.hasten.ReceiveAsync(nil) {
	}
}

func (o *outbox) wanted() bool {
	return o.wake.Len() > 0 || o.hasten.Len() > 0
}

func (o *outbox) deliver(ctx workflow.Context) (hastened bool, err error) {
	next := &wire.Moved{}
	for next != nil && !hastened && err == nil {
		moved := *next
		hastened, next, err = o.deliverAt(ctx, moved)
		var late *temporal.TimeoutError
		if moved.To != nil && errors.As(err, &late) { // no worker holds that account any more
			next, err = &wire.Moved{Row: moved.Row}, nil
		}
		if next != nil && workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return true, nil // the next run starts again
		}
	}
	return hastened, err
}

// deliverAt returns in next what the worker of another account has to deliver.
func (o *outbox) deliverAt(ctx workflow.Context, moved wire.Moved) (hastened bool, next *wire.Moved, err error) {
	attempts, cancel := workflow.WithCancel(ctx)
	defer cancel()
	options := forDelivery(attempts, o.queue, o.in.Again)
	if moved.To != nil {
		options = forMovedDelivery(options, OwnerQueue(*moved.To))
	}
	done := workflow.ExecuteActivity(options, acts.Deliver, wire.DeliverInput{Store: o.in.Store, Route: o.in.Route, Moves: o.moves, Moved: moved})
	either := workflow.NewSelector(ctx)
	either.AddFuture(done, func(workflow.Future) {})
	either.AddReceive(o.hasten, func(c workflow.ReceiveChannel, _ bool) {
		c.Receive(ctx, nil)
		hastened = true
	})
	either.Select(ctx)
	if hastened {
		cancel() // waiting, sending or failed: it starts again
	}
	var out wire.DeliverResult
	err = done.Get(ctx, &out)
	if hastened && ctx.Err() == nil {
		return true, nil, nil
	}
	return false, out.Moved, err
}
