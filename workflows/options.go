package workflows

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/activities"
)

// Priorities in Temporal: people first, errands next, upkeep last.
const (
	PriorityPeople = 1
	PriorityTasks  = 3
	PriorityUpkeep = 5
)

// ForTask is the priority of a task of person, with all that comes of it: what a
// workflow starts has its fairness key. Where the server goes by that
// (matching.enableFairness), the tasks of different people take turns on
// [SubAgentQueue], and the programs that are told of their ends on [WebhookQueue]; any
// other ignores it.
func ForTask(person errand.PersonID) temporal.Priority {
	key := string(person)
	if len(key) > 64 { // more than Temporal takes
		sum := sha256.Sum256([]byte(key))
		key = hex.EncodeToString(sum[:16])
	}
	return temporal.Priority{PriorityKey: PriorityTasks, FairnessKey: key}
}

// heartbeatTimeout is how long a dead worker's activity is believed to be at
// work. Activities report on a timer, see activities.beat.
const heartbeatTimeout = 10 * time.Second

// backgroundHeartbeatTimeout is the same of what nobody sits and waits for. Each
// heartbeat is a write in Temporal, and of these there may be thousands.
const backgroundHeartbeatTimeout = time.Minute

const peerHeartbeatTimeout = 30 * time.Second // calls of other systems are many and may take minutes

// longest bounds what has no time of its own: a dead worker is noticed by its
// heartbeat, and what an activity waits for it bounds itself.
const longest = 7 * 24 * time.Hour

// forModelCall is for think. No time passes for it while errand is away: how long
// a model is tried the activity itself counts, by its attempts, and it turns
// whatever cannot get better into an outcome.
func forModelCall(ctx workflow.Context, priority int, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: longest,
		HeartbeatTimeout:    heartbeatTimeout,
		Summary:             summary,
		Priority:            temporal.Priority{PriorityKey: priority},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    500 * time.Millisecond,
			BackoffCoefficient: 2,
			MaximumInterval:    30 * time.Second,
		},
	})
}

// waitForToolWorker is how long a call waits for a worker that can run its tool, where
// not every worker can: its process may be starting.
const waitForToolWorker = time.Minute

// forTool is for one tool call. A tool that may run only once gets one attempt;
// the activity sees to that by its own failure. The activity also counts how often a tool
// runs: it does not run in most of these attempts, which find too many calls of their person
// waiting for a place. The attempts are limited and not the whole time, because errand may be
// down in it.
// timeout is that of the tool's own, which the activity keeps; 0: the default. The rest of an
// attempt is for its result, which it keeps while the store is away.
func forTool(ctx workflow.Context, priority int, summary string, timeout time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: activities.ToolAttemptTime(timeout),
		HeartbeatTimeout:    heartbeatTimeout,
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

// forStore is for activities that only read or write the store and tell other
// workflows. They are tried until they succeed: what they write is never lost.
func forStore(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           TaskQueue,
		StartToCloseTimeout: 10 * time.Second,
		Summary:             summary,
		Priority:            temporal.Priority{PriorityKey: PriorityPeople},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    100 * time.Millisecond,
			BackoffCoefficient: 2,
			MaximumInterval:    10 * time.Second,
		},
	})
}

// forNotify is for the one attempt inside the turn that asked for a
// notification. Whatever comes of it, the row is in the outbox.
func forNotify(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              TaskQueue,
		ScheduleToCloseTimeout: time.Minute,
		StartToCloseTimeout:    10 * time.Second,
		Summary:                "notify",
		Priority:               temporal.Priority{PriorityKey: PriorityPeople},
		RetryPolicy:            &temporal.RetryPolicy{MaximumAttempts: 3},
	})
}

// forDelivery is for what could not be sent at once. It is patient without
// limit. If it is canceled, the workflow waits for it: what is being sent is sent to
// the end.
func forDelivery(ctx workflow.Context, queue string, again time.Duration) workflow.Context {
	again = cmp.Or(again, time.Second)
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           queue,
		StartToCloseTimeout: 10 * time.Minute,
		HeartbeatTimeout:    30 * time.Second,
		WaitForCancellation: true,
		Summary:             "deliver",
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    again,
			BackoffCoefficient: 2,
			MaximumInterval:    max(again, 5*time.Minute),
		},
	})
}

// forMovedDelivery is forDelivery where another account is held, which can do without:
// when nobody begins there in a while, the account of the chat does it.
func forMovedDelivery(ctx workflow.Context, queue string) workflow.Context {
	return workflow.WithScheduleToStartTimeout(workflow.WithTaskQueue(ctx, queue), 20*time.Second)
}

// forPeer is for what another system is asked. One attempt is one exchange; the activity
// says when the next follows, and when the peer has had its time: waiting for it takes no
// event, and a slot of a worker only while the peer is followed on a stream.
func forPeer(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 3 * time.Minute, // two looks with their files, and a stream between
		HeartbeatTimeout:    peerHeartbeatTimeout,
		Summary:             summary,
		Priority:            temporal.Priority{PriorityKey: PriorityTasks},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    time.Minute,
		},
	})
}

// forPeerCancel is for telling a peer that a task is canceled. It has ended here by then,
// so that the peer is told for a while and not for ever.
func forPeerCancel(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 2 * time.Minute,
		HeartbeatTimeout:    peerHeartbeatTimeout,
		Summary:             "cancel at the peer",
		Priority:            temporal.Priority{PriorityKey: PriorityTasks},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 4,
			MaximumInterval:    5 * time.Minute,
			MaximumAttempts:    8,
		},
	})
}

// CodingQueue is the task queue of the work of a coding agent: only the worker that has its
// folder takes from it.
func CodingQueue(agent errand.AgentName) string { return "errand-coding-" + string(agent) }

const folderPatience = 24 * time.Hour // for a worker that has the folder

// forCoding is for a coding agent at work. How long that may take the activity itself
// bounds. Another attempt is for a worker that has died or is ending: the agent then goes
// on where it was. Canceled, it is waited for until the program has ended.
func forCoding(ctx workflow.Context, agent errand.AgentName) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              CodingQueue(agent),
		ScheduleToStartTimeout: folderPatience,
		StartToCloseTimeout:    longest,
		HeartbeatTimeout:       heartbeatTimeout,
		WaitForCancellation:    true,
		Summary:                "work in the folder",
		Priority:               temporal.Priority{PriorityKey: PriorityTasks},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    time.Minute,
		},
	})
}

func forConnection(ctx workflow.Context) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           ConnectionQueue,
		StartToCloseTimeout: 10 * 365 * 24 * time.Hour,
		HeartbeatTimeout:    heartbeatTimeout,
		WaitForCancellation: true,
		Summary:             "connect",
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    500 * time.Millisecond,
			BackoffCoefficient: 1.2,
			MaximumInterval:    2 * time.Second,
		},
	})
}

// forUpkeep is for a stage of maintenance. An attempt that died is made up for
// by the next, and a stage that keeps failing by the next run.
func forUpkeep(ctx workflow.Context, summary string) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: 12 * time.Hour,
		HeartbeatTimeout:    heartbeatTimeout,
		Summary:             summary,
		Priority:            temporal.Priority{PriorityKey: PriorityUpkeep},
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
		Priority:            temporal.Priority{PriorityKey: PriorityUpkeep},
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval:    time.Second,
			BackoffCoefficient: 2,
			MaximumInterval:    time.Minute,
		},
	})
}

// subAgentPatience is for how long a sub-agent's step tries to get an answer,
// by its attempts: nobody sits and waits for it.
const subAgentPatience = 24 * time.Hour

// A sub-agent asks for the outcomes it waits for after these pauses, which grow.
// It is a net below the signal that an outcome is there.
const (
	firstAsked = 5 * time.Minute
	lastAsked  = time.Hour
)
