// Package workflows holds what is durable in errand: sessions, delegations,
// sub-agents here and elsewhere, the outbox, connections, reminders, webhooks, maintenance and the claim of a namespace. Inputs, signals and results carry ids and enums;
// words stay in the store.
package workflows

import (
	"go.temporal.io/sdk/worker"

	"errand/activities"
)

// acts is never called: it names activities where they are executed.
var acts *activities.Activities

// Register registers every workflow on w.
func Register(w worker.WorkflowRegistry) {
	w.RegisterWorkflow(Session)
	w.RegisterWorkflow(Delegation)
	w.RegisterWorkflow(SubAgent)
	w.RegisterWorkflow(RemoteAgent)
	w.RegisterWorkflow(CodingAgent)
	w.RegisterWorkflow(Outbox)
	w.RegisterWorkflow(Reminder)
	w.RegisterWorkflow(Webhook)
	w.RegisterWorkflow(Maintenance)
	w.RegisterWorkflow(Connection)
	w.RegisterWorkflow(Claim)
}
