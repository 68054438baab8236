package web

import (
	"context"
	"time"

	"errand"
)

// A Backend is what the pages and the API need of the rest of errand. Everything
// is asked for the one person who sits at the pages; chat is a name, such as
// "main".
//
// An error that has HTTPStatus() int is told to the client with that status,
// and with its ErrorCode() string if it has that too; any other is a 500.
type Backend interface {
	// Send accepts a message durably. A message id that was accepted before is
	// a Duplicate: nothing is run again.
	Send(ctx context.Context, chat, text, messageID string) (Accepted, error)
	// Key returns the key of the conversation in chat, or an error if that
	// cannot be the name of a chat.
	Key(ctx context.Context, chat string) (errand.SessionKey, error)
	// ResetSession ends the session in chat and returns the id of the next.
	ResetSession(ctx context.Context, chat string) (errand.SessionID, error)
	Sessions(ctx context.Context) ([]SessionInfo, error)

	// Events returns at most limit durable events after the one with id after,
	// oldest first.
	Events(ctx context.Context, key errand.SessionKey, after int64, limit int) ([]errand.Event, error)
	// LastEvents returns the n latest durable events, oldest first.
	LastEvents(ctx context.Context, key errand.SessionKey, n int) ([]errand.Event, error)
	// Subscribe passes on the events of key until stop is called, which closes
	// the channel. It may lose events: an event without id that is of no type
	// of package errand ("lag") means that the log should be read.
	Subscribe(key errand.SessionKey) (events <-chan errand.Event, stop func())

	Tasks(ctx context.Context, q TaskQuery) ([]errand.Task, error)
	// Task, CancelTask and RetryTask take any unique prefix of an id.
	Task(ctx context.Context, id string) (errand.Task, error)
	CancelTask(ctx context.Context, id, reason string) (errand.Task, error)
	RetryTask(ctx context.Context, id string) (errand.Task, error)
	// Delegate begins a task. With an empty chat there is nobody to tell.
	Delegate(ctx context.Context, chat string, agents []errand.AgentName, text string) (errand.Task, error)

	Outbox(ctx context.Context, states []errand.OutboxState) ([]errand.Notification, error)
	RetryOutbox(ctx context.Context, id int64) error
	DismissOutbox(ctx context.Context, id int64) error

	Agents() []AgentInfo
	Pause(ctx context.Context) error
	Resume(ctx context.Context) error
	Paused(ctx context.Context) (bool, error)
	// Ready returns nil if messages can be accepted and worked on.
	Ready(ctx context.Context) error
}

// An Accepted is a message that will be answered, whatever happens now.
type Accepted struct {
	Key       errand.SessionKey
	MessageID string // drawn if none was given
	Duplicate bool
	Answer    string // of a command, which no agent sees; empty for a message
}

// A TaskQuery narrows a list of tasks; zero fields do not.
type TaskQuery struct {
	Chat   string
	States []errand.TaskState
	Limit  int
}

// A SessionInfo is one durable conversation.
type SessionInfo struct {
	ID      errand.SessionID  `json:"id"`
	Key     errand.SessionKey `json:"key"`
	Channel string            `json:"channel"`
	Chat    string            `json:"chat"`
	Person  errand.PersonID   `json:"person"`
	Agent   errand.AgentName  `json:"agent"` // who answers
	State   string            `json:"state"` // active, suspended or ended
	Turns   int               `json:"turns"`
	Created time.Time         `json:"created"`
	Active  time.Time         `json:"active"` // last turn or message
	Ended   time.Time         `json:"ended,omitzero"`
}

// An AgentInfo is an agent of the roster.
type AgentInfo struct {
	Name        errand.AgentName `json:"name"`
	Description string           `json:"description"`
	Primary     bool             `json:"primary"`
}
