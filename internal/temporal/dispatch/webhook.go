package dispatch

import (
	"context"
	"time"

	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// StartWebhook starts the workflow of a webhook unless it runs. It has the person's fairness key,
// so that a slow receiver does not delay the webhooks of others.
func (d *Dispatcher) StartWebhook(ctx context.Context, id string, person core.PersonID) error {
	opts := d.options(id, "webhook "+id)
	opts.Priority = wire.ForTask(person)
	return d.start(ctx, opts, wire.WebhookWorkflow, wire.WebhookInput{Store: d.store.ID(), ID: id})
}

// StartWebhooks starts the due webhooks of a task.
func (d *Dispatcher) StartWebhooks(ctx context.Context, task core.Task) error {
	ids, err := d.store.DueWebhooks(ctx, task.ID)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := d.StartWebhook(ctx, id, task.Origin.Person); err != nil {
			return err
		}
	}
	return nil
}

// StartPush starts the workflow of a push message to a person's browser unless it runs. It begins
// after a delay, in which the person may see the event on a page.
func (d *Dispatcher) StartPush(ctx context.Context, id string, person core.PersonID, after time.Duration) error {
	opts := d.options(id, "push "+id)
	opts.Priority, opts.StartDelay = wire.ForTask(person), after
	return d.start(ctx, opts, wire.WebhookWorkflow, wire.WebhookInput{Store: d.store.ID(), ID: id})
}
