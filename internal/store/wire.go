package store

import (
	"time"

	"errand"
)

// This file has the types of the store that are in Temporal's histories: in inputs
// and results of workflows and activities, and in rows that are read for them. From
// version 0.9.0 on they are a contract: a field or a value may be added; none is renamed,
// removed or given another meaning.
// workflows/wire.go has the other such types; workflows/testdata/wire.golden has
// the names of all their fields.

// A StepResult is the outcome of a step as workflows see it, and as the store
// keeps it for a second attempt.
type StepResult struct {
	Empty  bool          `json:"empty,omitempty"`  // there was nothing to do: the turn ends silently
	Final  bool          `json:"final,omitempty"`  // the turn has its reply
	Failed bool          `json:"failed,omitempty"` // the reply says why there is none
	Calls  []PlannedCall `json:"calls,omitempty"`
	Outbox []int64       `json:"outbox,omitempty"` // rows that a platform has to be called for
	Tokens int           `json:"tokens,omitempty"` // of this step
	Cost   float64       `json:"cost,omitempty"`   // of this step, USD
	Claims int           `json:"claims,omitempty"` // inbox rows and results this step took
	// Taken are the inbox rows among them; of a sub-agent, the rows of task_messages.
	Taken []int64 `json:"taken,omitempty"`
	// Left says that there are outcomes which this turn could not take and another can.
	Left bool `json:"left,omitempty"`
	// Ended is how the sub-agent's own task ended, where this step's report was all it
	// lacked; empty: it goes on, or has an end that its Delegation sees to.
	Ended errand.TaskState `json:"ended,omitempty"`
	// Verdict is what the sub-agent has answered, with this step or before it, to what its
	// task is to decide.
	Verdict errand.Verdict `json:"verdict,omitempty"`
	// Agent is with whom the session is after a step that changed that, or ended
	// the turn; empty otherwise, and for a sub-agent.
	Agent errand.AgentName `json:"agent,omitempty"`
}

// A PlannedCall is what the workflow is to do for one tool call. It carries ids
// and enums only.
type PlannedCall struct {
	Index int    `json:"index"` // from 1
	By    By     `json:"kind"`
	Tool  string `json:"tool,omitempty"` // a name the roster knows; never what a model made up
	// Queue is that of the workers that can run the tool; empty: any can.
	Queue   string        `json:"queue,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"` // of one run of the tool; 0: the default
	Task    errand.TaskID `json:"task,omitempty"`    // of a delegation
	Waits   bool          `json:"waits,omitempty"`   // the turn waits for the task
	Ended   bool          `json:"ended,omitempty"`   // the task has its outcome already: an earlier attempt saw to it
	// Question is what the call asks a person, or waits for; Ended says that it has its answer.
	Question errand.QuestionID `json:"question,omitempty"`
	// Refused, of one that waits for a yes, says that there will be none: no activity runs it.
	Refused bool `json:"refused,omitempty"`
}

// A By says who carries out a tool call: for a tool, and for each call of it that is
// planned.
type By string

// Who carries out calls.
const (
	ByActivity   By = "tool"     // an activity, which runs the tool
	ByDelegation By = "delegate" // a Delegation, started by the activity that commits the step
	ByHandover   By = "handover" // the store: the session was handed over when the step was committed
	ByVerdict    By = "verdict"  // the store: the sub-agent's work has ended with its verdict
	ByQuestion   By = "question" // a person, whose answer the turn waits for
	ByApproval   By = "approval" // an activity, once a person has said yes
	ByClient     By = "client"   // the program that talks with the agent: the turn ends with the call
	ByNobody     By = "refused"  // it was answered with an error when the step was committed
)

// A Claim says which inbox rows a step takes.
type Claim string

// The claims.
const (
	ClaimNone Claim = ""    // none: a later step of a turn that is not steered
	ClaimAll  Claim = "all" // every row that no turn has taken
	ClaimOne  Claim = "one" // the oldest one
)

// A Rehydrated is what a Session workflow needs to go on. It carries ids and
// enums only.
type Rehydrated struct {
	Session  errand.SessionID `json:"session"`
	Agent    errand.AgentName `json:"agent"`
	Busy     string           `json:"busy,omitempty"`
	NextTurn int              `json:"next_turn"`           // number of the next new turn
	OpenTurn int              `json:"open_turn,omitempty"` // a turn that was begun and has no end; 0: none
	Messages bool             `json:"messages,omitempty"`  // there are inbox rows that no turn has taken
	Results  bool             `json:"results,omitempty"`   // there are outcomes that nobody has been told
	Open     []errand.TaskID  `json:"open,omitempty"`      // tasks at work
}

// A ReminderState is where a reminder is in its life.
type ReminderState string

// The states.
const (
	ReminderActive   ReminderState = "active"
	ReminderDone     ReminderState = "done"     // it will not come again
	ReminderCanceled ReminderState = "canceled" // by the person, or with them
)

// A Policy is for how long what is over is kept; zero is for ever.
type Policy struct {
	EndAfter    time.Duration `json:"end_after"`    // a session without a turn ends
	Transcripts time.Duration `json:"transcripts"`  // of ended sessions, with their tasks
	Deliveries  time.Duration `json:"deliveries"`   // made or dismissed
	UsageDetail time.Duration `json:"usage_detail"` // then only the sums of the days stay
	Memory      time.Duration `json:"memory"`       // since a note was changed
	Audit       time.Duration `json:"audit"`        // who has done what
}

// A Stage is one kind of what is swept.
type Stage string

// The stages, in the order in which they are worth running: what one ends,
// the next may find to be old.
const (
	SweepWords       Stage = "words"       // nothing goes: the index of words is put in order, before much is taken out of it
	SweepSessions    Stage = "sessions"    // stale ones end
	SweepTranscripts Stage = "transcripts" // of ended sessions, with all that belongs to them; see [Store.Expired]
	SweepTasks       Stage = "tasks"       // that belong to no session; see [Store.ExpiredTasks]
	SweepMemory      Stage = "memory"
	SweepDeliveries  Stage = "deliveries"
	SweepUsage       Stage = "usage" // folded into the sums of the days
	SweepEvents      Stage = "events"
	SweepReminders   Stage = "reminders"
	SweepInbox       Stage = "inbox"     // of what no turn will take: commands, and what an edit replaced
	SweepArtifacts   Stage = "artifacts" // of messages that no turn will take
	SweepPairings    Stage = "pairings"
	SweepRefusals    Stage = "refusals"
	SweepTokens      Stage = "tokens"
	SweepReports     Stage = "reports"
	SweepBudgets     Stage = "budgets" // of days that are over
	SweepAudit       Stage = "audit"
)

// A Count is how many of what were ended or removed.
type Count struct {
	What string `json:"what"`
	N    int    `json:"n"`
}
