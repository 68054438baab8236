package wire

import (
	"time"

	"errand/internal/core"
	"errand/internal/store"
)

// A CodingResult is the state of a coding agent's work. The store has its texts.
type CodingResult struct {
	State   core.TaskState `json:"state"`
	Verdict core.Verdict   `json:"verdict,omitempty"`
	// Questions are approvals that no person had decided when the agent was stopped. It continues
	// when one of them is closed.
	Questions []core.QuestionID `json:"questions,omitempty"`
}

type AwaitAnswerInput struct {
	Store     string            `json:"store"`
	Questions []core.QuestionID `json:"questions"`
}

type ConnectInput struct {
	Store   string       `json:"store"`
	Account core.Account `json:"account"`
}

type NotifyInput struct {
	Store string  `json:"store"`
	Rows  []int64 `json:"rows"`
}

// A DeliverInput names a chat, and the account whose worker delivers.
type DeliverInput struct {
	Store string     `json:"store"`
	Route core.Route `json:"route"`
	// Moves permits moving a row to the worker of another account.
	Moves bool `json:"moves,omitempty"`
	// Moved is set while a row is moved, and when it has been moved back.
	Moved Moved `json:"moved,omitzero"`
}

// A Moved moves a row to the worker of another account than that of its route. Without an account,
// the row is sent on the account of its route and on no other. Without a row, the worker of the
// route's account sends the open rows as if nothing had been moved.
type Moved struct {
	Row int64         `json:"row,omitempty"`
	To  *core.Account `json:"to,omitempty"`
}

// A DeliverResult names the row with which the worker of another account continues; nil: no open
// row is left.
type DeliverResult struct {
	Moved *Moved `json:"moved,omitempty"`
}

// A FinishInput is the end of a task. Reason comes from the person who canceled it, or is one of
// errand's own texts.
type FinishInput struct {
	Store  string         `json:"store"`
	Task   core.TaskID    `json:"task"`
	State  core.TaskState `json:"state"`
	Reason string         `json:"reason,omitempty"`
	// EndsRest cancels what the task has delegated, because some of its agents may still work.
	EndsRest bool `json:"ends_rest,omitempty"`
}

// A FinishResult is the terminal state, which another call may have decided first.
type FinishResult struct {
	State core.TaskState `json:"state"`
}

type UpkeepInput struct {
	Store  string        `json:"store"`
	Run    string        `json:"run"`
	Done   []store.Count `json:"done,omitempty"`   // set at the end
	Failed []string      `json:"failed,omitempty"` // stages; set at the end
}

type MaintainInput struct {
	Store string      `json:"store"`
	Stage store.Stage `json:"stage"`
	// Policy is the policy at the start of the run, for people to read. Maintenance deletes only
	// what the policy in the worker's own configuration allows, because a person who can start a
	// workflow must not decide that.
	Policy store.Policy `json:"policy"`
}

type MaintainResult struct {
	Done []store.Count `json:"done,omitempty"`
}

// An OpenTasksInput names tasks whose outcomes a session or sub-agent waits for.
type OpenTasksInput struct {
	Store string        `json:"store"`
	Tasks []core.TaskID `json:"tasks"`
	// Owner is the sub-agent that waits; empty: a session waits.
	Owner core.Owner `json:"owner,omitempty"`
	// Questions are the questions that it waits for.
	Questions []core.QuestionID `json:"questions,omitempty"`
}

// An OpenTasksResult names the tasks and questions that are still open.
type OpenTasksResult struct {
	Open []core.TaskID `json:"open,omitempty"`
	// Added are the rows that were added to Owner's task and that no step has taken.
	Added []int64 `json:"added,omitempty"`
	// FollowedBy are open tasks that follow the decisions of ended tasks.
	FollowedBy    []core.TaskID     `json:"followed_by,omitempty"`
	OpenQuestions []core.QuestionID `json:"open_questions,omitempty"`
	// Refused are approvals that were closed without approval.
	Refused []core.QuestionID `json:"refused,omitempty"`
}

// A PeerInput names a remote agent's work on a task.
type PeerInput struct {
	Store string         `json:"store"`
	Task  core.TaskID    `json:"task"`
	Agent core.AgentName `json:"agent"`
}

// A PeerResult is the state of a peer's work. The store has its texts.
type PeerResult struct {
	State   core.TaskState `json:"state"`
	Verdict core.Verdict   `json:"verdict,omitempty"`
}

type NextReminderInput struct {
	Store string          `json:"store"`
	ID    core.ReminderID `json:"id"`
}

// A ReminderTime is the state of a reminder and when it is due next.
type ReminderTime struct {
	State core.ReminderState `json:"state"`
	Next  time.Time          `json:"next,omitzero"`
}

// A FireReminderInput names a reminder and the time at which it was due.
type FireReminderInput struct {
	Store string          `json:"store"`
	ID    core.ReminderID `json:"id"`
	Due   time.Time       `json:"due"`
}

type RehydrateInput struct {
	Store string          `json:"store"`
	Key   core.SessionKey `json:"key"`
}

// Rehydrated is the state that a Session workflow needs to continue.
type Rehydrated struct {
	store.Rehydrated
	Settings Settings `json:"settings"` // from the current configuration
}

type SuspendInput struct {
	Store   string         `json:"store"`
	Session core.SessionID `json:"session"`
}

type ResetSessionInput struct {
	Store   string          `json:"store"`
	Key     core.SessionKey `json:"key"`
	Session core.SessionID  `json:"session"`
	// Agent leads the next session; empty: the primary agent.
	Agent    core.AgentName `json:"agent,omitempty"`
	StickFor time.Duration  `json:"stick_for,omitempty"`
}

// A ResetSessionResult is the next session.
type ResetSessionResult struct {
	Session Rehydrated `json:"session"`
}

type SetBusyInput struct {
	Store string          `json:"store"`
	Key   core.SessionKey `json:"key"`
	Mode  string          `json:"mode"`
}

// A CloseReason says what closed a turn from outside.
type CloseReason string

const (
	Stopped     CloseReason = store.StoppedTurn // by /stop
	Interrupted CloseReason = "interrupted"     // by the next message
	ResetAway   CloseReason = store.ResetTurn   // by /reset
)

// A CloseTurnInput names a turn, and the tasks that end with it.
type CloseTurnInput struct {
	Store  string          `json:"store"`
	Key    core.SessionKey `json:"key"`
	Owner  core.Owner      `json:"owner"`
	Turn   int             `json:"turn,omitempty"` // 0: no turn is running
	Reason CloseReason     `json:"reason"`
	Tasks  []core.TaskID   `json:"tasks,omitempty"`
	// Waiting closes the turn only if some message was not taken by any turn.
	Waiting bool `json:"waiting,omitempty"`
}

type CloseTurnResult struct {
	Closed bool `json:"closed"`
}

type AwaitResumeInput struct {
	Store string `json:"store"`
}

// A ThinkInput names one step of a turn.
type ThinkInput struct {
	Store   string          `json:"store"`
	Key     core.StepKey    `json:"key"`
	Session core.SessionKey `json:"session,omitempty"` // empty for a sub-agent
	Rows    store.Claim     `json:"rows,omitempty"`
	Results bool            `json:"results,omitempty"`
	Last    bool            `json:"last,omitempty"`   // offer no tools, because the turn has to end
	Waited  bool            `json:"waited,omitempty"` // a person waits for the outcome

	// Patience limits the time of the attempts and the pauses between them. Downtime of errand does
	// not count.
	Patience time.Duration `json:"patience"`
}

// A GiveUpInput names a step that got no answer in time.
type GiveUpInput struct {
	Store   string          `json:"store"`
	Key     core.StepKey    `json:"key"`
	Session core.SessionKey `json:"session,omitempty"`
	Rows    store.Claim     `json:"rows,omitempty"`
	Results bool            `json:"results,omitempty"`
}

type ToolInput struct {
	Store string       `json:"store"`
	Key   core.CallKey `json:"key"`
	// Question is the approval that the call has waited for; empty: it needed none.
	Question core.QuestionID `json:"question,omitempty"`
}

// A SendWebhookInput names a webhook or a push message.
type SendWebhookInput struct {
	Store string `json:"store"`
	ID    string `json:"id"`
}
