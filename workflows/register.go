// Package workflows is what is durable in errand: sessions, delegations, sub-agents,
// agents of other systems, the outbox, connections, reminders, webhooks and maintenance.
//
// Inputs, signals and results carry ids and enums; texts stay in the store.
//
// A Session is the lock of its conversation: it runs one turn at a time. It completes
// when nothing has happened for sessions.suspend_after and no turn, handler or unread
// signal is left; the next signal starts it again. When it starts, its first activity
// reads from the store where it was. It continues as new between two turns when Temporal
// suggests that. A run keeps the settings with which it began.
//
// People's steps run on the queue errand-turns and those of sub-agents on errand-tasks,
// each beside its workflow, so that a step comes with the answer to a workflow task. Each
// queue has slots of its own: background work never takes those of people.
//
// Histories under testdata/replay/v1 are replayed by the tests. They contain every
// workflow, every command and every kind of wait.
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
