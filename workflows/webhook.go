package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/internal/temporal/wire"
)

// Webhook sends one webhook to a program or one push message to a browser. It retries for up to
// [webhookPatience]. The row in the store has the content and the result.
func Webhook(ctx workflow.Context, in wire.WebhookInput) error {
	send := wire.SendWebhookInput(in)
	err := workflow.ExecuteActivity(forWebhook(ctx), acts.SendWebhook, send).Get(ctx, nil)
	if err == nil {
		return nil
	}
	// Whatever the error, it is not tried again.
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	return workflow.ExecuteActivity(forStore(ctx, "give up"), acts.GiveWebhookUp, send).Get(ctx, nil)
}

const webhookPatience = 3 * 24 * time.Hour

// forWebhook retries at growing intervals. The priority and the fairness key are the workflow's.
func forWebhook(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              wire.WebhookQueue,
		ScheduleToCloseTimeout: webhookPatience,
		StartToCloseTimeout:    time.Minute,
		Summary:                "webhook",
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    5 * time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    time.Hour,
		},
	})
}
