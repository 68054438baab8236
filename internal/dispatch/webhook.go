package dispatch

import (
	"context"

	"errand"
	"errand/workflows"
)

// StartWebhook starts the workflow of a webhook, unless it runs.
func (d *Dispatcher) StartWebhook(ctx context.Context, id string) error {
	return d.start(ctx, d.options(id, "webhook "+id), workflows.Webhook, workflows.WebhookInput{Store: d.store.ID(), ID: id})
}

// startWebhooks starts those that have waited for the end of a task.
func (d *Dispatcher) startWebhooks(ctx context.Context, task errand.TaskID) error {
	ids, err := d.store.DueWebhooks(ctx, task)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := d.StartWebhook(ctx, id); err != nil {
			return err
		}
	}
	return nil
}
