package dispatch

import (
	"context"
	"time"

	"errand"
	"errand/workflows"
)

// StartWebhook starts the workflow of a webhook of person, unless it runs. What it starts
// has the person's fairness key: receivers of one that are away hold up no others'.
func (d *Dispatcher) StartWebhook(ctx context.Context, id string, person errand.PersonID) error {
	opts := d.options(id, "webhook "+id)
	opts.Priority = workflows.ForTask(person)
	return d.start(ctx, opts, workflows.Webhook, workflows.WebhookInput{Store: d.store.ID(), ID: id})
}

// StartWebhooks starts what is due to programs of a task.
func (d *Dispatcher) StartWebhooks(ctx context.Context, task errand.Task) error {
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

// StartPush starts the workflow that tells a browser of person something, unless it runs. It
// begins after a while, in which somebody may see it on a page.
func (d *Dispatcher) StartPush(ctx context.Context, id string, person errand.PersonID, after time.Duration) error {
	opts := d.options(id, "push "+id)
	opts.Priority, opts.StartDelay = workflows.ForTask(person), after
	return d.start(ctx, opts, workflows.Webhook, workflows.WebhookInput{Store: d.store.ID(), ID: id})
}
