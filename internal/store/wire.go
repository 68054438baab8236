package store

import (
	"time"

	"errand/internal/core"
)

// This file has the store's types that are in Temporal's histories: in inputs and results of
// workflows and activities, and in rows that are read for them. From version 0.9.0 on they are
// a contract: fields and values may be added, but not renamed, removed or given another
// meaning. The other such types are in workflows/wire.go. workflows/testdata/wire.golden has
// the names of all their fields.

// A StepResult is the outcome of a step, for workflows and for a second attempt.
type StepResult struct {
	Empty  bool          `json:"empty,omitempty"`  // nothing to do: the turn ends silently
	Final  bool          `json:"final,omitempty"`  // the turn has its reply
	Failed bool          `json:"failed,omitempty"` // the reply explains why there is no answer
	Calls  []PlannedCall `json:"calls,omitempty"`
	Outbox []int64       `json:"outbox,omitempty"` // rows to send to a platform
	Tokens int           `json:"tokens,omitempty"` // of this step
	Cost   float64       `json:"cost,omitempty"`   // of this step, USD
	Claims int           `json:"claims,omitempty"` // inbox rows and results that this step took
	// Taken are the inbox rows among them; for a sub-agent, the rows of task_messages.
	Taken []int64 `json:"taken,omitempty"`
	// Left means that there are outcomes that this turn could not take and another can.
	Left bool `json:"left,omitempty"`
	// Ended is the final state of the sub-agent's task, if this step's report was the last
	// thing it lacked. It is empty if the task continues, or if its Delegation ends it.
	Ended core.TaskState `json:"ended,omitempty"`
	// Verdict is the sub-agent's verdict, of this step or an earlier one.
	Verdict core.Verdict `json:"verdict,omitempty"`
	// Agent is the session's agent after a step that changed it or ended the turn. It is empty
	// otherwise, and for a sub-agent.
	Agent core.AgentName `json:"agent,omitempty"`
}

// A PlannedCall is the workflow's instruction for one tool call. It carries only ids and enums.
type PlannedCall struct {
	Index int    `json:"index"` // from 1
	By    By     `json:"kind"`
	Tool  string `json:"tool,omitempty"` // a name from the roster, never one that a model made up
	// Queue is the task queue of the workers that can run the tool; empty: any worker can.
	Queue   string        `json:"queue,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"` // of one run of the tool; 0: the default
	Task    core.TaskID   `json:"task,omitempty"`    // of a delegation
	Waits   bool          `json:"waits,omitempty"`   // the turn waits for the task
	Ended   bool          `json:"ended,omitempty"`   // the task has its outcome already
	// Question is the question or approval for which the call waits. Ended means that it has
	// its answer.
	Question core.QuestionID `json:"question,omitempty"`
	// Refused means that the approval was refused: no activity runs the call.
	Refused bool `json:"refused,omitempty"`
	// ReadOnly means that the call changes nothing outside the turn.
	ReadOnly bool `json:"read_only,omitempty"`
}

// A By says how a tool call is carried out.
type By string

const (
	ByActivity   By = "tool"     // an activity runs the tool
	ByDelegation By = "delegate" // by a Delegation, started by the activity that commits the step
	ByHandover   By = "handover" // the store handed the session over when it committed the step
	ByVerdict    By = "verdict"  // the store ended the sub-agent's work with its verdict
	ByQuestion   By = "question" // a person answers, and the turn waits
	ByApproval   By = "approval" // an activity runs the tool after a person has approved it
	ByClient     By = "client"   // the calling program runs it: the turn ends with the call
	ByNobody     By = "refused"  // the store answered it with an error when it committed the step
)

// A Claim says which inbox rows a step takes.
type Claim string

// The values of Claim.
const (
	ClaimNone Claim = ""    // none: a later step of a turn that is not steered
	ClaimAll  Claim = "all" // every row that no turn has taken
	ClaimOne  Claim = "one" // the oldest such row
)

// A Rehydrated is the state that a Session workflow needs to continue. It carries only ids and
// enums.
type Rehydrated struct {
	Session  core.SessionID `json:"session"`
	Agent    core.AgentName `json:"agent"`
	Busy     string         `json:"busy,omitempty"`
	NextTurn int            `json:"next_turn"`           // number of the next new turn
	OpenTurn int            `json:"open_turn,omitempty"` // a turn that has not ended; 0: none
	Messages bool           `json:"messages,omitempty"`  // inbox rows wait that no turn has taken
	Results  bool           `json:"results,omitempty"`   // outcomes wait that were not reported
	Open     []core.TaskID  `json:"open,omitempty"`      // open tasks
}

// A Policy has the retention times of old data; zero means forever.
type Policy struct {
	EndAfter    time.Duration `json:"end_after"`    // a session ends after this time without a turn
	Transcripts time.Duration `json:"transcripts"`  // of ended sessions, with their tasks
	Deliveries  time.Duration `json:"deliveries"`   // sent or dismissed
	UsageDetail time.Duration `json:"usage_detail"` // after this time only daily sums stay
	Memory      time.Duration `json:"memory"`       // since a note was changed
	Audit       time.Duration `json:"audit"`        // entries of the audit log
}

// A Stage is a kind of data that maintenance sweeps.
type Stage string

// The stages, in the order of their execution: a stage may make rows ready for a later one.
const (
	SweepWords       Stage = "words"       // merges the word index before words are deleted; deletes nothing
	SweepSessions    Stage = "sessions"    // ends stale sessions
	SweepTranscripts Stage = "transcripts" // of ended sessions, with all their data; see [Store.Expired]
	SweepTasks       Stage = "tasks"       // without a session; see [Store.ExpiredTasks]
	SweepMemory      Stage = "memory"
	SweepDeliveries  Stage = "deliveries"
	SweepUsage       Stage = "usage" // summed up by days
	SweepEvents      Stage = "events"
	SweepReminders   Stage = "reminders"
	SweepInbox       Stage = "inbox"     // rows that no turn will take: commands, replaced messages
	SweepArtifacts   Stage = "artifacts" // of messages that no turn will take
	SweepPairings    Stage = "pairings"
	SweepRefusals    Stage = "refusals"
	SweepTokens      Stage = "tokens"
	SweepReports     Stage = "reports"
	SweepBudgets     Stage = "budgets" // of past days
	SweepAudit       Stage = "audit"
)

// A Count is how many rows of a kind were ended or deleted.
type Count struct {
	What string `json:"what"`
	N    int    `json:"n"`
}
