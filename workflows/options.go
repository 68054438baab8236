package workflows

import (
	"cmp"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// Activities send no heartbeats, except in maintenance, because Temporal Cloud bills each. errand
// itself notices that a worker is dead, and cancels activities: see package reconcile and
// [activities.Attempts].

// longest is for activities that limit themselves.
const longest = 7 * 24 * time.Hour

// forModelCall sets no ScheduleToCloseTimeout: the activity counts the time of its attempts, so
// that downtime of errand does not count.
func forModelCall(ctx workflow.Context, priority int, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: longest,
		Summary:             summary,
		Priority:            temporal.Priority{PriorityKey: priority},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    500 * time.Millisecond,
			BackoffCoefficient: 2,
			MaximumInterval:    30 * time.Second,
		},
	})
}

// waitForToolWorker covers the start of a process that can run the tool.
const waitForToolWorker = time.Minute

// forTool is for one tool call. The activity itself decides how often a tool runs, and fails for
// good if the tool may run only once. The retry policy allows more attempts than runs, because most
// attempts do not run the tool: too many calls of the person wait for a place. It limits the number
// of attempts and not the total time, because errand may be down in between. timeout is the tool's
// own timeout, enforced by the activity; 0: the default. The rest of an attempt is for storing the
// result, even if the store fails for a while.
func forTool(ctx workflow.Context, priority int, summary string, timeout time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: activities.ToolAttemptTime(timeout),
		Summary:             summary,
		Priority:            temporal.Priority{PriorityKey: priority},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    500 * time.Millisecond,
			BackoffCoefficient: 2,
			MaximumInterval:    time.Minute,
			MaximumAttempts:    200,
		},
	})
}

// forStore is for activities that only use the store and signal workflows. They are retried until
// they succeed, so that no write is lost.
func forStore(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           wire.TaskQueue,
		StartToCloseTimeout: 10 * time.Second,
		Summary:             summary,
		Priority:            temporal.Priority{PriorityKey: wire.PriorityPeople},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    100 * time.Millisecond,
			BackoffCoefficient: 2,
			MaximumInterval:    10 * time.Second,
		},
	})
}

// forNotify limits the activity to a minute, because a turn waits for it. The Outbox workflow makes
// the later attempts.
func forNotify(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              wire.TaskQueue,
		ScheduleToCloseTimeout: time.Minute,
		StartToCloseTimeout:    10 * time.Second,
		Summary:                "notify",
		Priority:               temporal.Priority{PriorityKey: wire.PriorityPeople},
		RetryPolicy:            &temporal.RetryPolicy{MaximumAttempts: 3},
	})
}

// forDelivery is for messages that could not be sent at once. It retries forever. If it is
// canceled, the workflow waits for it, because a message that is being sent must not be cut off.
func forDelivery(ctx workflow.Context, queue string, again time.Duration) workflow.Context {
	again = cmp.Or(again, time.Second)
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           queue,
		StartToCloseTimeout: 10 * time.Minute,
		WaitForCancellation: true,
		Summary:             "deliver",
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    again,
			BackoffCoefficient: 2,
			MaximumInterval:    max(again, 5*time.Minute),
		},
	})
}

// forMovedDelivery times out early. Then the account of the chat delivers.
func forMovedDelivery(ctx workflow.Context, queue string) workflow.Context {
	return workflow.WithScheduleToStartTimeout(workflow.WithTaskQueue(ctx, queue), 20*time.Second)
}

// forPeer is for calls of other systems. Each attempt is one exchange. The activity decides when
// the next one follows and when to give the peer up. Waiting adds no events to the history, and
// uses a slot of a worker only while the peer's stream is followed.
func forPeer(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 3 * time.Minute, // two polls with their files, and a stream in between
		Summary:             summary,
		Priority:            temporal.Priority{PriorityKey: wire.PriorityTasks},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    time.Minute,
		},
	})
}

// forPeerCancel is limited, because the task has already ended here.
func forPeerCancel(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 2 * time.Minute,
		Summary:             "cancel at the peer",
		Priority:            temporal.Priority{PriorityKey: wire.PriorityTasks},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 4,
			MaximumInterval:    5 * time.Minute,
			MaximumAttempts:    8,
		},
	})
}

// CodingQueue returns the task queue of a coding agent. Only the worker that has its folder polls
// it.
func CodingQueue(agent core.AgentName) string { return "errand-coding-" + string(agent) }

const folderPatience = 24 * time.Hour // how long to wait for a worker that has the folder

// forCoding is for the work of a coding agent. The activity limits its time itself. It is retried
// if its worker dies or ends, and the agent then continues its session. If it is canceled, the
// workflow waits until the program has ended.
func forCoding(ctx workflow.Context, agent core.AgentName) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              CodingQueue(agent),
		ScheduleToStartTimeout: folderPatience,
		StartToCloseTimeout:    longest,
		WaitForCancellation:    true,
		Summary:                "work in the folder",
		Priority:               temporal.Priority{PriorityKey: wire.PriorityTasks},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    time.Minute,
		},
	})
}

func forConnection(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           wire.ConnectionQueue,
		StartToCloseTimeout: 10 * 365 * 24 * time.Hour,
		Summary:             "connect",
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    500 * time.Millisecond,
			BackoffCoefficient: 1.2,
			MaximumInterval:    2 * time.Second,
		},
	})
}

// forUpkeep is for a stage of maintenance. A retry continues an attempt that died. If the stage
// keeps failing, the next run continues it.
func forUpkeep(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 12 * time.Hour,
		HeartbeatTimeout:    5 * time.Minute, // heartbeats carry the progress
		Summary:             summary,
		Priority:            temporal.Priority{PriorityKey: wire.PriorityUpkeep},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    time.Minute,
			MaximumAttempts:    10,
		},
	})
}

func forUpkeepReport(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 10 * time.Second,
		Summary:             summary,
		Priority:            temporal.Priority{PriorityKey: wire.PriorityUpkeep},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    time.Minute,
		},
	})
}

// A sub-agent polls for the outcomes that it waits for, in case a signal is lost. The pauses grow
// from firstAsked to lastAsked.
const (
	firstAsked = 5 * time.Minute
	lastAsked  = time.Hour
)

func forBackup(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 6 * time.Hour,
		Summary:             "back up",
		Priority:            temporal.Priority{PriorityKey: wire.PriorityUpkeep},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    10 * time.Second,
			BackoffCoefficient: 4,
			MaximumInterval:    10 * time.Minute,
			MaximumAttempts:    5,
		},
	})
}
