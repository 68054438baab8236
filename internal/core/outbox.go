package core

import (
	"strconv"
	"strings"
	"time"
)

type OutboxState string

const (
	Pending   OutboxState = "pending"
	Sending   OutboxState = "sending" // set before the call of the platform
	Sent      OutboxState = "sent"
	Unknown   OutboxState = "unknown" // the platform was called, and the result is not known
	Blocked   OutboxState = "blocked" // the platform refuses it for good; a person decides
	Dismissed OutboxState = "dismissed"
)

func OutboxStates() []OutboxState {
	return []OutboxState{Pending, Sending, Sent, Unknown, Blocked, Dismissed}
}

// Open reports whether a delivery in state s still has to be made.
func (s OutboxState) Open() bool { return s == Pending || s == Sending || s == Unknown }

// A Notification is a row of the outbox: a message to send on a route.
type Notification struct {
	ID       int64      `json:"id"`
	Key      string     `json:"key"` // unique
	Route    Route      `json:"route"`
	Session  SessionKey `json:"session_key,omitempty"`
	Agent    AgentName  `json:"agent,omitempty"`
	Task     TaskID     `json:"task_id,omitempty"`
	Event    EventType  `json:"event"` // reply, question, late, notice or error
	Text     string     `json:"text"`
	ReplyTo  string     `json:"reply_to,omitempty"`
	Options  []string   `json:"options,omitempty"`     // the answers that a question offers
	File     *SentFile  `json:"file,omitempty"`        // sent with the text
	Question QuestionID `json:"question_id,omitempty"` // asked by the text
	// Source is the other conversation in which the person asked the agent, if any. It gets a
	// message that the answer was sent.
	Source   SessionKey  `json:"-"`
	State    OutboxState `json:"state"`
	Attempts int         `json:"attempts"`
	Error    string      `json:"error,omitempty"`    // of the last attempt
	Receipts []string    `json:"receipts,omitempty"` // message ids of the platform, one for each part
	Created  time.Time   `json:"created"`
	SentAt   time.Time   `json:"sent_at,omitzero"`
	// While the row is open, Receipts belong to parts that have arrived from the account PartsBy,
	// which split the text into Parts.
	PartsBy string `json:"-"`
	Parts   int    `json:"-"`
	// NotBefore is when the platform may be called again; zero: now.
	NotBefore time.Time `json:"-"`
	// Repeated means that it may have arrived before.
	Repeated bool `json:"-"`
	// Restored is when the store was last restored from a backup before the row was made, in
	// microseconds; 0: never.
	Restored int64 `json:"-"`
	// Replaces is the platform's id of a message with the text so far, which this one replaces;
	// empty: none.
	Replaces string `json:"-"`
}

// IdempotencyKey returns the key by which a platform recognizes a repeat. It is not the key alone: a
// restored store may use a key for another message than the lost one did.
func (n Notification) IdempotencyKey() string {
	if n.Restored == 0 {
		return n.Key
	}
	return n.Key + "\x00" + strconv.FormatInt(n.Restored, 10)
}

func (n Notification) Deletes() bool {
	return n.Event == EventNotice && n.Text == "" && n.Replaces != ""
}

// AwaitsAccount is the prefix of a delivery's error if no worker has its account.
const AwaitsAccount = "no worker has the account "

func (n Notification) AwaitsAccount() bool {
	return n.State.Open() && strings.HasPrefix(n.Error, AwaitsAccount)
}

// Repeating precedes a text that may have arrived before.
const Repeating = "Repeating this in case it did not arrive:"

// Body returns the text, after [Repeating] if it may be a repeat.
func (n Notification) Body() string {
	if n.Repeated {
		return Repeating + "\n" + n.Text
	}
	return n.Text
}
