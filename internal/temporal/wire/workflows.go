// Package wire defines what errand exchanges through Temporal: the names of queues, workflows,
// signals, updates, queries and search attributes, and all inputs and results.
//
// From version 0.9.0 on it is a contract, because histories keep it and runs live for months.
// Fields may be added, with a useful zero value. No field may be renamed, removed or given another
// meaning. workflows/testdata/wire.golden lists all fields. Inputs and results that the store
// creates are in internal/store/wire.go.
package wire

import (
	"fmt"
	"strings"
	"time"

	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/store"
)

// The names of the workflows, which are their functions in package workflows.
const (
	SessionWorkflow     = "Session"
	DelegationWorkflow  = "Delegation"
	OutboxWorkflow      = "Outbox"
	ReminderWorkflow    = "Reminder"
	WebhookWorkflow     = "Webhook"
	MaintenanceWorkflow = "Maintenance"
	ConnectionWorkflow  = "Connection"
	ClaimWorkflow       = "Claim"
	BackupWorkflow      = "Backup"
)

// TaskQueue is polled by every worker of an installation. It is for workflows, and for activities
// that only use the store.
const TaskQueue = "errand"

// Each of these queues has its own slots: a call that waits for a model or a platform must not hold
// up others, and background work must not hold up a person. Sessions and sub-agents use the queues
// of their steps, so that the first step starts in the response to a workflow task.
const (
	TurnQueue       = "errand-turns" // people's turns: think and tools of sessions
	SubAgentQueue   = "errand-tasks" // think and tools of sub-agents
	DeliveryQueue   = "errand-deliveries"
	ConnectionQueue = "errand-connections" // polled by workers that have accounts
	WebhookQueue    = "errand-webhooks"    // receivers may be slow
)

// Signals, updates and queries. Sender and receiver share these constants. Changing one breaks
// running workflows.
const (
	SignalMessage      = "message"       // [MessageSignal], to a Session: the inbox has a row
	SignalTaskFinished = "task-finished" // [TaskFinishedSignal], to a Session or SubAgent
	SignalAnswered     = "answered"      // [AnsweredSignal], to a SubAgent or CodingAgent; for an approval also to a Session
	SignalStop         = "stop"          // [StopSignal], to a Session
	SignalSteer        = "steer"         // [SteerSignal], to a SubAgent: a message was added to its task
	SignalCancel       = "cancel"        // a JSON string or {"reason": "…"}, to a Delegation; anything, to a Reminder
	SignalState        = "state"         // [StateSignal], to a Delegation: show this state
	SignalDeadline     = "deadline"      // no argument, to a Delegation: end with the outcomes so far
	SignalWake         = "wake"          // no argument, to an Outbox: there is a row
	SignalHasten       = "hasten"        // no argument, to an Outbox: retry now
	SignalEnd          = "end"           // no argument, to a Connection: the account was removed

	UpdateReset = "reset" // [ResetUpdate] → [ResetResult], to a Session
	UpdateBusy  = "busy"  // [BusyUpdate], to a Session

	QueryStatus = "status" // [Status], of a Session or SubAgent
)

// FailureTask is the type of the failure that closes the Delegation of a failed or rejected task.
// Its details are a [DelegationResult].
const FailureTask = "task"

// AwaitResumeActivity is the activity that waits for the end of a pause. To end a pause, errand has
// Temporal retry it at once.
const AwaitResumeActivity = "AwaitResume"

// WatchPeerActivity is the activity in which a remote agent waits for its peer.
const WatchPeerActivity = "WatchPeer"

// RunCodingAgentActivity is the activity in which a coding agent works.
const RunCodingAgentActivity = "RunCodingAgent"

// A MessageSignal reports that the inbox of the session has a new row.
type MessageSignal struct {
	Row int64 `json:"row"`
}

// A TaskFinishedSignal reports that a task has its outcome in the store.
type TaskFinishedSignal struct {
	Task core.TaskID `json:"task"`
	// FollowedBy is the task that follows its decision. The caller waits for that task, too.
	FollowedBy core.TaskID `json:"followed_by,omitempty"`
	// Late marks a late answer of a peer. More may arrive soon, and the session has no open task
	// that would announce it.
	Late bool `json:"late,omitempty"`
}

// A SteerSignal reports that a message was added to a sub-agent's task.
type SteerSignal struct {
	Row int64 `json:"row"`
}

// An AnsweredSignal reports that a question is closed, with an answer in the store or without one.
type AnsweredSignal struct {
	Question core.QuestionID `json:"question"`
	// Refused reports that an approval was refused, so that its call does not run. If it is false,
	// an activity checks.
	Refused bool `json:"refused,omitempty"`
}

type StateSignal struct {
	State core.TaskState `json:"state"`
}

// A StopSignal ends the current turn and the tasks it waits for or, with All, every open task of
// the session. If Turn is not 0, the signal ends only that turn of Session.
type StopSignal struct {
	All     bool           `json:"all,omitempty"`
	Session core.SessionID `json:"session,omitempty"`
	Turn    int            `json:"turn,omitempty"`
}

// A ResetUpdate ends the session id and begins another in the same chat. Agent leads it; empty: the
// primary agent.
type ResetUpdate struct {
	Agent    core.AgentName `json:"agent,omitempty"`
	StickFor time.Duration  `json:"stick_for,omitempty"`
}

type ResetResult struct {
	Old core.SessionID `json:"old"`
	New core.SessionID `json:"new"`
}

type BusyUpdate struct {
	Mode BusyMode `json:"mode"`
}

// A Status is the current state of a Session or SubAgent.
type Status struct {
	Session core.SessionID `json:"session,omitempty"`
	Agent   core.AgentName `json:"agent"`
	Turn    int            `json:"turn,omitempty"` // 0: idle
	Step    int            `json:"step,omitempty"`
	Busy    BusyMode       `json:"busy,omitempty"`
	Open    []core.TaskID  `json:"open,omitempty"`
	Tokens  int            `json:"tokens"` // of this run
	Cost    float64        `json:"cost"`   // of this run, USD
}

// A SessionInput names one person's conversation in one chat. The workflow reads everything else
// from the store.
type SessionInput struct {
	Store    string          `json:"store"`
	Key      core.SessionKey `json:"key"`
	Settings Settings        `json:"settings"`
}

// A DelegationInput names a task. The store has its text. Title is at most 60 characters, for the
// Temporal Web UI, and empty if titles are turned off.
type DelegationInput struct {
	Store    string           `json:"store"`
	Task     core.TaskID      `json:"task"`
	Agents   []core.AgentName `json:"agents"`
	Title    string           `json:"title,omitempty"`
	Depth    int              `json:"depth"`
	Place    Place            `json:"place"`
	Settings Settings         `json:"settings"`
	// Waited means that a person waits for the result, directly or through a chain of callers.
	Waited bool        `json:"waited,omitempty"`
	Policy core.Policy `json:"policy,omitempty"`
	// Kinds are the kinds of Agents, in the same order; nil: all are local.
	Kinds []core.AgentKind `json:"kinds,omitempty"`
}

// A SubAgentInput names one agent's work on one task.
type SubAgentInput struct {
	Store    string         `json:"store"`
	Task     core.TaskID    `json:"task"`
	Agent    core.AgentName `json:"agent"`
	Place    Place          `json:"place"`
	Settings Settings       `json:"settings"`
	// Waited means that a person waits for the result.
	Waited bool `json:"waited,omitempty"`
	// Before is the state of the previous run, which continued as new between two turns.
	Before *SubAgentBefore `json:"before,omitempty"`
}

// A RemoteAgentInput names the work of another system's agent on one task.
type RemoteAgentInput struct {
	Store string         `json:"store"`
	Task  core.TaskID    `json:"task"`
	Agent core.AgentName `json:"agent"`
}

// A CodingAgentInput names a coding agent's work on one task.
type CodingAgentInput struct {
	Store string         `json:"store"`
	Task  core.TaskID    `json:"task"`
	Agent core.AgentName `json:"agent"`
}

type SubAgentBefore struct {
	Result        SubAgentResult `json:"result"`
	Turn          int            `json:"turn"` // the last one
	Open          []core.TaskID  `json:"open,omitempty"`
	UnreadResults bool           `json:"look,omitempty"` // the store may have results that no turn has read
}

// A Place is where a chain of delegations began. Search attributes show it.
type Place struct {
	Channel string         `json:"channel,omitempty"`
	Session core.SessionID `json:"session,omitempty"`
}

// An OutboxInput names the chat of the rows to deliver.
type OutboxInput struct {
	Store string     `json:"store"`
	Route core.Route `json:"route"`
	// Again is the pause after the first failed delivery; 0: a second.
	Again time.Duration `json:"again,omitempty"`
}

// A ConnectionInput names one of errand's accounts on a platform.
type ConnectionInput struct {
	Store   string       `json:"store"`
	Account core.Account `json:"account"`
}

// A WebhookInput names a webhook. The store has its content and receiver.
type WebhookInput struct {
	Store string `json:"store"`
	ID    string `json:"id"`
}

// A ReminderInput names a reminder. The store has its text and times.
type ReminderInput struct {
	Store string          `json:"store"`
	ID    core.ReminderID `json:"id"`
}

// A MaintenanceInput lists the stages of a run, in order. A run keeps the stages that it was
// started with.
type MaintenanceInput struct {
	Store  string        `json:"store"`
	Policy store.Policy  `json:"policy"`
	Stages []store.Stage `json:"stages"`
}

type BackupInput struct {
	Store string `json:"store"`
}

type ClaimInput struct {
	Store string `json:"store"`
}

// NewDelegationInput returns the input for a task that no workflow delegated.
func NewDelegationInput(store string, t core.Task, settings Settings) DelegationInput {
	if !settings.Titles {
		t.Title = ""
	}
	return DelegationInput{
		Store: store, Task: t.ID, Agents: t.Agents, Title: t.Title, Depth: t.Origin.Depth,
		Place: Place{Channel: t.Origin.Channel, Session: t.Origin.Session}, Settings: settings, Policy: t.Policy,
	}
}

// Details returns the text by which the Web UI shows where the task was delegated. That workflow is
// not the parent.
func (in *DelegationInput) Details(t core.Task) string {
	var b strings.Builder
	if t.Caller.Owner != "" {
		fmt.Fprintf(&b, "delegated by **%s** in turn %d, step %d of `%s`", t.From.Display(), t.Caller.Turn, t.Caller.Step, t.Caller.Owner)
	}
	if t.Origin.SessionKey != "" {
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		fmt.Fprintf(&b, "for session workflow `%s`", t.Origin.SessionKey)
	}
	return b.String()
}

// Summary returns the line that the Web UI shows: "Sasha: night trains to Oslo".
func (in *DelegationInput) Summary() string {
	names := make([]string, len(in.Agents))
	for i, a := range in.Agents {
		names[i] = a.Display()
	}
	line := strings.Join(names, ", ")
	if in.Settings.Titles && in.Title != "" {
		line += ": " + in.Title
	}
	return line
}

// SearchAttributes returns the attributes at the start of the Delegation.
func (in *DelegationInput) SearchAttributes() temporal.SearchAttributes {
	updates := []temporal.SearchAttributeUpdate{
		AttrState.ValueSet(string(core.Working)), AttrDepth.ValueSet(int64(in.Depth)),
	}
	if len(in.Agents) > 0 {
		updates = append(updates, AttrAgent.ValueSet(string(in.Agents[0])))
	}
	if in.Title != "" {
		updates = append(updates, AttrTitle.ValueSet(in.Title))
	}
	return temporal.NewSearchAttributes(append(updates, in.Place.Attributes()...)...)
}

func (p Place) Attributes() []temporal.SearchAttributeUpdate {
	var updates []temporal.SearchAttributeUpdate
	if p.Channel != "" {
		updates = append(updates, AttrChannel.ValueSet(p.Channel))
	}
	if p.Session != "" {
		updates = append(updates, AttrSession.ValueSet(string(p.Session)))
	}
	return updates
}

// A DelegationResult is the terminal state of the task. It is the result of a Delegation that
// completed, and the details of the failure or cancellation of every other one.
type DelegationResult struct {
	State  core.TaskState `json:"state"`
	Tokens int            `json:"tokens"`
	Cost   float64        `json:"cost"` // USD
}

// A MaintenanceResult has the counts of what was deleted, and the stages that failed.
type MaintenanceResult struct {
	Done   []store.Count `json:"done,omitempty"`
	Failed []string      `json:"failed,omitempty"`
}

// A ReminderResult is the final state of the reminder.
type ReminderResult struct {
	State core.ReminderState `json:"state"`
}

// A SessionResult is why a run of the workflow ended.
type SessionResult struct {
	Reason string `json:"reason"` // "suspended"
}

// A SubAgentResult is the outcome of a sub-agent's work. The store has its texts.
type SubAgentResult struct {
	State core.TaskState `json:"state"`           // completed, failed or canceled
	Ended core.TaskState `json:"ended,omitempty"` // final state of the task if it ended with the work; else empty
	// Verdict is the agent's verdict, if the task asks for one.
	Verdict core.Verdict `json:"verdict,omitempty"`
	Turns   int          `json:"turns"`
	Tokens  int          `json:"tokens"`
	Cost    float64      `json:"cost"` // USD
}
