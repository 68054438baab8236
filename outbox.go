package errand

import (
	"strings"
	"time"
)

// An OutboxState is how far the delivery of a notification has come.
type OutboxState string

// The states of a delivery.
const (
	Pending   OutboxState = "pending"
	Sending   OutboxState = "sending" // written before the platform is called
	Sent      OutboxState = "sent"
	Unknown   OutboxState = "unknown" // the platform was called and nobody knows with what result
	Blocked   OutboxState = "blocked" // the platform refuses for good: a person decides
	Dismissed OutboxState = "dismissed"
)

// OutboxStates returns all of them.
func OutboxStates() []OutboxState {
	return []OutboxState{Pending, Sending, Sent, Unknown, Blocked, Dismissed}
}

// Open reports whether a delivery in state s still has to be made.
func (s OutboxState) Open() bool { return s == Pending || s == Sending || s == Unknown }

// A Notification is what to tell on a route: a row of the outbox.
type Notification struct {
	ID       int64      `json:"id"`
	Key      string     `json:"key"` // unique; the platform's idempotency key
	Route    Route      `json:"route"`
	Session  SessionKey `json:"session_key,omitempty"`
	Agent    AgentName  `json:"agent,omitempty"`
	Task     TaskID     `json:"task_id,omitempty"`
	Event    EventType  `json:"event"` // reply, question, late, notice or error
	Text     string     `json:"text"`
	ReplyTo  string     `json:"reply_to,omitempty"`
	Options  []string   `json:"options,omitempty"`     // what a question offers as answers
	File     *SentFile  `json:"file,omitempty"`        // that is sent with the text
	Question QuestionID `json:"question_id,omitempty"` // that the text asks
	// Source is the conversation in which a person has asked for the agent whose answer it
	// is, where that is another one: it hears that the answer was sent.
	Source   SessionKey  `json:"-"`
	State    OutboxState `json:"state"`
	Attempts int         `json:"attempts"`
	Error    string      `json:"error,omitempty"`    // of the last attempt
	Receipts []string    `json:"receipts,omitempty"` // the platform's ids, one for each part sent
	Created  time.Time   `json:"created"`
	SentAt   time.Time   `json:"sent_at,omitzero"`
	// Of several parts those of Receipts have arrived from the account PartsBy, which
	// cut the text into Parts; while the row is open.
	PartsBy string `json:"-"`
	Parts   int    `json:"-"`
	// NotBefore is when the platform may be called again; zero: at any time.
	NotBefore time.Time `json:"-"`
	// Repeated says that it may have arrived before, and that nobody can find out.
	Repeated bool `json:"-"`
	// Replaces is the platform's id of the message that shows what was written of it so
	// far, in whose place it is told; empty: there is none.
	Replaces string `json:"-"`
}

// AwaitsAccount begins the reason why a delivery waits for an account that no
// worker has.
const AwaitsAccount = "no worker has the account "

// AwaitsAccount reports whether n waits for an account that no worker has.
func (n Notification) AwaitsAccount() bool {
	return n.State.Open() && strings.HasPrefix(n.Error, AwaitsAccount)
}

// Repeating is what people read before what may have arrived before.
const Repeating = "Repeating this in case it did not arrive:"

// Body is what people read: the text, and whether it is repeated.
func (n Notification) Body() string {
	if n.Repeated {
		return Repeating + "\n" + n.Text
	}
	return n.Text
}
