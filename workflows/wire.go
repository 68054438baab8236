package workflows

import (
	"time"

	"errand"
	"errand/activities"
	"errand/internal/store"
)

// This file has what is sent to workflows: queues, the names of signals, updates and
// queries, and inputs. From version 0.9.0 on it is a contract, because histories keep it
// and runs live for months: fields may be added, with a useful zero value; none is
// renamed, removed or given another meaning. testdata/wire.golden has the names of all fields.
//
// The result of a workflow is as binding and stands beside the workflow; inputs and
// results of activities stand beside the activity, and those that the store makes are
// in internal/store/wire.go.

// TaskQueue is the queue that every worker of an installation polls: of workflows and of
// activities that only read and write the store.
const TaskQueue = "errand"

// Queues with slots of their own: what waits for a model or a platform must not hold
// up what does not, and background work must not hold up a person. Sessions and
// sub-agents are on the queues of their steps, so that the first step comes with the
// answer to a workflow task.
const (
	TurnQueue       = "errand-turns" // people's turns: think and tools of sessions
	SubAgentQueue   = "errand-tasks" // think and tools of sub-agents
	DeliveryQueue   = "errand-deliveries"
	ConnectionQueue = "errand-connections" // polled by workers that have accounts
	WebhookQueue    = "errand-webhooks"    // what programs are told; they may be slow to answer
)

// Signals, updates and queries. Sender and receiver share these constants;
// changing one breaks running workflows.
const (
	SignalMessage      = "message"       // [MessageSignal], to a Session: the inbox has a row
	SignalTaskFinished = "task-finished" // [TaskFinishedSignal], to a Session or SubAgent
	SignalAnswered     = "answered"      // [AnsweredSignal], to a SubAgent or CodingAgent or, of an approval, a Session
	SignalStop         = "stop"          // [StopSignal], to a Session
	SignalSteer        = "steer"         // [SteerSignal], to a SubAgent: its task has a message
	SignalCancel       = "cancel"        // a JSON string or {"reason": "…"}, to a Delegation; anything, to a Reminder
	SignalState        = "state"         // [StateSignal], to a Delegation: show this state
	SignalDeadline     = "deadline"      // nothing, to a Delegation: end with what is there
	SignalWake         = "wake"          // nothing, to an Outbox: there is a row
	SignalHasten       = "hasten"        // nothing, to an Outbox: do not wait any longer before it is tried again
	SignalEnd          = "end"           // nothing, to a Connection: the account is gone

	UpdateReset = "reset" // [ResetUpdate] → [ResetResult], to a Session
	UpdateBusy  = "busy"  // [BusyUpdate], to a Session

	QueryStatus = "status" // [Status], of a Session or SubAgent
)

// FailureTask is the type of the failure that closes the Delegation of a task which failed or
// was rejected. Its details are a [DelegationResult].
const FailureTask = "task"

// AwaitResumeActivity is what a workflow runs that waits for the end of a pause:
// whoever ends it has that activity tried again at once.
const AwaitResumeActivity = "AwaitResume"

// WatchPeerActivity is what a remote agent runs that waits for its peer.
const WatchPeerActivity = "WatchPeer"

// A MessageSignal says that the inbox has a row for the session.
type MessageSignal struct {
	Row int64 `json:"row"`
}

// A TaskFinishedSignal says that a task has its outcome in the store.
type TaskFinishedSignal struct {
	Task errand.TaskID `json:"task"`
	// FollowedBy is the task that follows its decision: the one that asked for it waits for
	// that, too.
	FollowedBy errand.TaskID `json:"followed_by,omitempty"`
	// Late says that it is what a peer has said late: more of that may be about to come, and
	// the session has no open task by which it would know.
	Late bool `json:"late,omitempty"`
}

// A SteerSignal says that something was added to a sub-agent's task.
type SteerSignal struct {
	Row int64 `json:"row"`
}

// An AnsweredSignal says that a question is over: it has its answer in the store, or will
// have none.
type AnsweredSignal struct {
	Question errand.QuestionID `json:"question"`
	// Refused, of an approval, says that there will be no yes: its call is not run. Without
	// it an activity finds out.
	Refused bool `json:"refused,omitempty"`
}

// A StateSignal is the state of an open task in the store.
type StateSignal struct {
	State errand.TaskState `json:"state"`
}

// A StopSignal ends the running turn and the tasks it waits for, or, with All,
// every open task of the session. Turn, of Session, is the one that it is for: it
// ends no other; 0: whichever runs.
type StopSignal struct {
	All     bool             `json:"all,omitempty"`
	Session errand.SessionID `json:"session,omitempty"`
	Turn    int              `json:"turn,omitempty"`
}

// A ResetUpdate ends the session id and begins another in the same chat, with
// Agent if that is set and else with the primary agent.
type ResetUpdate struct {
	Agent    errand.AgentName `json:"agent,omitempty"`
	StickFor time.Duration    `json:"stick_for,omitempty"`
}

// A ResetResult names the session that was ended and the one that was begun.
type ResetResult struct {
	Old errand.SessionID `json:"old"`
	New errand.SessionID `json:"new"`
}

// A BusyUpdate sets what happens with messages that arrive while a turn runs.
type BusyUpdate struct {
	Mode BusyMode `json:"mode"`
}

// A Status is what a Session or SubAgent is doing.
type Status struct {
	Session errand.SessionID `json:"session,omitempty"`
	Agent   errand.AgentName `json:"agent"`
	Turn    int              `json:"turn,omitempty"` // the running one; 0: idle
	Step    int              `json:"step,omitempty"`
	Busy    BusyMode         `json:"busy,omitempty"`
	Open    []errand.TaskID  `json:"open,omitempty"`
	Tokens  int              `json:"tokens"` // of this run
	Cost    float64          `json:"cost"`   // of this run, USD
}

// A SessionInput names one person's conversation in one chat. Everything else
// is read from the store when the workflow begins.
type SessionInput struct {
	Store    string            `json:"store"`
	Key      errand.SessionKey `json:"key"`
	Settings Settings          `json:"settings"`
}

// A DelegationInput names a task. Its words are in the store; Title is cut to
// 60 characters for the Temporal Web UI and may be turned off.
type DelegationInput struct {
	Store    string             `json:"store"`
	Task     errand.TaskID      `json:"task"`
	Agents   []errand.AgentName `json:"agents"`
	Title    string             `json:"title,omitempty"`
	Depth    int                `json:"depth"`
	Place    place              `json:"place"`
	Settings Settings           `json:"settings"`
	// Waited says that a person sits and waits for it, by the chain of callers.
	Waited bool `json:"waited,omitempty"`
	// Policy says when it is decided.
	Policy errand.Policy `json:"policy,omitempty"`
	// Kinds are those of Agents, in their order; left out: all are local.
	Kinds []errand.AgentKind `json:"kinds,omitempty"`
}

// A SubAgentInput names the work of one agent on one task.
type SubAgentInput struct {
	Store    string           `json:"store"`
	Task     errand.TaskID    `json:"task"`
	Agent    errand.AgentName `json:"agent"`
	Place    place            `json:"place"`
	Settings Settings         `json:"settings"`
	// Waited says that a person sits and waits for it.
	Waited bool `json:"waited,omitempty"`
	// Before is set by a run that continued as new, between two turns.
	Before *subAgentBefore `json:"before,omitempty"`
}

// A RemoteAgentInput names the work of an agent of another system on one task.
type RemoteAgentInput struct {
	Store string           `json:"store"`
	Task  errand.TaskID    `json:"task"`
	Agent errand.AgentName `json:"agent"`
}

// A CodingAgentInput names the work of a coding agent on one task.
type CodingAgentInput struct {
	Store string           `json:"store"`
	Task  errand.TaskID    `json:"task"`
	Agent errand.AgentName `json:"agent"`
}

// A subAgentBefore is what the next run of a sub-agent takes over.
type subAgentBefore struct {
	Result        SubAgentResult  `json:"result"`
	Turn          int             `json:"turn"` // the last one
	Open          []errand.TaskID `json:"open,omitempty"`
	UnreadResults bool            `json:"look,omitempty"` // there may be results that no turn has read
}

// A place is where a chain of delegations began, as the search attributes show
// it.
type place struct {
	Channel string           `json:"channel,omitempty"`
	Session errand.SessionID `json:"session,omitempty"`
}

// An OutboxInput names the chat whose notifications are to be delivered.
type OutboxInput struct {
	Store string       `json:"store"`
	Route errand.Route `json:"route"`
	// Again is how long after a first delivery that failed the next follows; 0: a
	// second.
	Again time.Duration `json:"again,omitempty"`
}

// A ConnectionInput names an account of ours on a platform.
type ConnectionInput struct {
	Store   string         `json:"store"`
	Account errand.Account `json:"account"`
}

// A WebhookInput names a webhook. What it says, and to whom, is in the store.
type WebhookInput struct {
	Store string `json:"store"`
	ID    string `json:"id"`
}

// A ReminderInput names a reminder. What it says, and when, is in the store.
type ReminderInput struct {
	Store string            `json:"store"`
	ID    errand.ReminderID `json:"id"`
}

// A MaintenanceInput says what is past its time, and what is looked at in which
// order: a run keeps to the stages that it was started with.
type MaintenanceInput struct {
	Store  string        `json:"store"`
	Policy store.Policy  `json:"policy"`
	Stages []store.Stage `json:"stages"`
}

// A ClaimInput names the store that a namespace belongs to.
type ClaimInput struct {
	Store string `json:"store"`
}

// Settings and a BusyMode travel in the inputs of workflows, and in the result of the
// activity Rehydrate: activities/settings.go declares them.
type (
	Settings = activities.Settings
	BusyMode = activities.BusyMode
)

// The busy modes.
const (
	Collect   = activities.Collect
	Steer     = activities.Steer
	Queue     = activities.Queue
	Interrupt = activities.Interrupt
)
