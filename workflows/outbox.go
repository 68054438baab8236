package workflows

import (
	"net/url"
	"strings"

	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/activities"
)

// An OutboxInput names the chat whose notifications are to be delivered.
type OutboxInput struct {
	Store string       `json:"store"`
	Route errand.Route `json:"route"`
}

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
// something is. It is patient without limit.
func Outbox(ctx workflow.Context, in OutboxInput) error {
	wake := workflow.GetSignalChannel(ctx, SignalWake)
	queue := deliveryQueue(ctx, in.Route)
	for {
		for wake.ReceiveAsync(nil) {
		}
		deliver := activities.DeliverInput{Store: in.Store, Route: in.Route}
		if err := workflow.ExecuteActivity(forDelivery(ctx, queue), acts.Deliver, deliver).Get(ctx, nil); err != nil {
			return err
		}
		if wake.Len() == 0 {
			return nil
		}
		if workflow.GetInfo(ctx).GetContinueAsNewSuggested() {
			return workflow.NewContinueAsNewError(ctx, Outbox, in)
		}
	}
}
