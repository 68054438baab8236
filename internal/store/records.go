package store

import (
	"time"

	"errand"
)

// Options open a store. Exactly one of SQLite and PostgreSQL is set.
type Options struct {
	SQLite     string // path of the database file
	PostgreSQL string // a URL, postgres://…
	Full       bool   // SQLite: synchronous=FULL, which a power cut cannot undo
	Limits     Limits
	Now        func() time.Time // the clock; default time.Now
	// NewTaskID draws the id of a task; default errand.NewTaskID.
	NewTaskID func() errand.TaskID
	// Notification words how the outcome of a task is told by a notification, in a
	// person's language (BCP 47; empty: not known). A transaction asks for it, once
	// more where it is tried again: it has to be quick, and to say the same each time.
	// Default: the id, the state and the outcome.
	Notification func(task *errand.Task, language string) string
}

// bareNotification tells an outcome in nobody's words.
func bareNotification(task *errand.Task, _ string) string {
	return string(task.ID) + ", " + string(task.State) + ":\n\n" + task.Result + task.Error
}

// An InboxMessage is a message as a channel received it, checked by the gateway.
type InboxMessage struct {
	Route     errand.Route
	Person    errand.PersonID
	Shared    bool // the session is everybody's in this chat, not Person's own
	Group     bool // others read the chat
	Role      errand.Role
	MessageID string // the platform's; with Route and Revision it makes the row unique
	Revision  int    // 0: as first sent; an edit has the next one
	ReplyTo   string
	Text      string
	// Attached are the artifacts it came with. They are kept with it, or not at
	// all.
	Attached []NewArtifact
	// Forwarded says that Person did not write it, but passes it on. From is who
	// wrote it, as the platform tells; empty: nobody knows.
	Forwarded bool
	From      string
	// Note is what the agent is told of it besides, in errand's words: lines.
	Note string
	// Answer is what the command was answered that Text stood behind; empty: there
	// was none.
	Answer string
}

// An InboxRow is an accepted message.
type InboxRow struct {
	ID        int64
	Session   errand.SessionKey
	Duplicate bool // the row was there already
	// Taken, of a duplicate, says that a turn has taken the row or that none will:
	// its session has nothing to hear of it.
	Taken bool
}

// A Session is one durable conversation.
type Session struct {
	ID      errand.SessionID  `json:"id"`
	Key     errand.SessionKey `json:"-"`
	Route   errand.Route      `json:"route"`
	Person  errand.PersonID   `json:"person"`
	Agent   errand.AgentName  `json:"agent"`
	State   string            `json:"state"` // active, suspended or ended
	Busy    string            `json:"busy,omitempty"`
	Turns   int               `json:"turns"`
	Created time.Time         `json:"created"`
	Active  time.Time         `json:"active"` // last turn or message
	Ended   time.Time         `json:"ended,omitzero"`
	Reason  string            `json:"reason,omitempty"` // why it ended
	Group   bool              `json:"-"`                // others read the chat
	// StickyUntil is when the session goes back to the primary agent; zero: it is
	// with it, or stays.
	StickyUntil time.Time `json:"sticky_until,omitzero"`
}

// States of a session.
const (
	SessionActive    = "active"
	SessionSuspended = "suspended"
	SessionEnded     = "ended"
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
	// Unstarted are tasks whose workflow was never seen to start.
	Unstarted []PlannedCall `json:"unstarted,omitempty"`
}

// A Tool call with what it needs to be carried out.
type Call struct {
	Key     errand.CallKey
	Call    errand.ToolCall
	Done    bool   // it has a result already
	Result  string // if Done
	Agent   errand.AgentName
	Person  errand.PersonID
	Session errand.SessionID
	Origin  errand.Origin // what a task delegated here would carry
	Task    *errand.Task  // the sub-agent's own task; nil for a session
	Nonce   errand.Nonce  // of the agent's prompts
}

// A Note is an entry of an agent's working memory.
type Note struct {
	Key     string           `json:"key"`
	Value   string           `json:"value"`
	Session errand.SessionID `json:"session_id,omitempty"` // in which it was made; goes with it
	Expires time.Time        `json:"expires,omitzero"`     // zero: never
	Updated time.Time        `json:"updated"`
}

// A TaskFilter narrows a list of tasks; zero fields do not.
type TaskFilter struct {
	Person  errand.PersonID
	Session errand.SessionKey
	Caller  errand.Owner
	States  []errand.TaskState
	Limit   int // default 100
}
