package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
)

// Webhook tells a program over HTTP what it asked to be told, or a browser what has come, and
// tries for as long as [webhookPatience]. The row in the store says what, and what became of it.
func Webhook(ctx workflow.Context, in WebhookInput) error {
	send := activities.WebhookInput{Store: in.Store, ID: in.ID}
	err := workflow.ExecuteActivity(forWebhook(ctx), acts.SendWebhook, send).Get(ctx, nil)
	if err == nil {
		return nil
	}
	// Whatever ended it, it is tried no more.
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	return workflow.ExecuteActivity(forStore(ctx, "give up"), acts.GiveWebhookUp, send).Get(ctx, nil)
}

// webhookPatience is how long a receiver may be away before it is not told any more.
const webhookPatience = 3 * 24 * time.Hour

// forWebhook is for what a program is told. Receivers that are away are tried less and less
// often. The priority, with the fairness key, is the workflow's.
func forWebhook(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              WebhookQueue,
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
