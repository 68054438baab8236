// Package workflows has errand's workflows: sessions, delegations, sub-agents, agents of other
// systems, the outbox, connections, reminders, webhooks and maintenance.
//
// Inputs, signals and results contain ids and enums; texts stay in the store.
//
// A Session is the lock of its conversation: it runs one turn at a time. It completes after
// sessions.suspend_after without activity if no turn, handler or unread signal is left; the next
// signal starts it again. When it starts, its first activity reads its state from the store. It
// continues as new between two turns when Temporal suggests that. A run keeps the settings with
// which it began.
//
// Steps of people run on the queue errand-turns and steps of sub-agents on errand-tasks, the same
// queues as their workflows, so that a step is started in the response to a workflow task. Each
// queue has its own slots: background work never takes those of people.
//
// The tests replay the histories under testdata/replay/v1. These contain every workflow, every
// command and every kind of wait.
package workflows

import (
	"go.temporal.io/sdk/worker"

	"errand/activities"
)

// acts is never called. It names the activities to execute.
var acts activities.Activities

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
	w.RegisterWorkflow(Backup)
}
