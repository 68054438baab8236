package intake

import (
	"fmt"
	"strings"
	"time"

	"errand/internal/actor"
	"errand/internal/core"
)

// A Sender is a message's sender, as the platform reports it.
type Sender struct {
	// IDs are all of the sender's ids, the most permanent one first, such as a number and a hidden
	// id.
	IDs      []string
	Name     string // the name that they chose
	Language string // BCP 47, if the platform reports it
	Bot      bool
}

// An Inbound is a message of a door, which knows its Person, or of a platform, which names a
// Sender. Nothing in it is trusted.
type Inbound struct {
	Route  core.Route
	Person core.PersonID // of a door; Receive identifies the Sender instead
	Role   core.Role     // of a door: the highest role that counts; empty: the person's
	Sender Sender        // of a platform
	// By is the actor of a door. The scope of their token also limits commands in Text.
	By    actor.Actor
	Group bool // other people read the chat, too
	// MessageID is the platform's id. A door may leave it empty for a random one.
	MessageID string
	Revision  int
	Sent      time.Time // when it was written or edited, by the platform's clock; zero: now
	ReplyTo   string
	Replaces  string // only from doors; see [store.InboxMessage]
	Text      string
	// Mentions are the mentions in Text that the platform has marked.
	Mentions []Mention
	// Pressed means that Text is the label of a button under the message ReplyTo.
	Pressed bool
	// Forwarded means that the sender forwards a message. ForwardedFrom is its author, as the
	// platform reports it; empty: unknown.
	Forwarded     bool
	ForwardedFrom string
	// Unreadable is a content that errand cannot accept; the sender gets a notice. errand still
	// accepts Text.
	Unreadable Content
	// Attachments are files, pictures and recordings. With them, Text may be empty.
	Attachments []Attachment
	// Album groups messages that were sent as one, such as several pictures, so that a notice comes
	// only once. Empty: none.
	Album string
	// Tools and Outputs come from a door, see [store.InboxMessage].
	Tools   *core.ClientTools
	Outputs []core.ClientOutput
	// Unaddressed means that after an edit the message is not for errand any more. errand accepts
	// the edit if it accepted the message.
	Unaddressed bool
	// Deleted means that MessageID was deleted; Text is empty. Sender may have no ids, if the
	// platform does not report who deleted it.
	Deleted bool
	// Private means that the channel can answer the sender alone. errand's own answer is then in
	// the Outcome, not in the outbox.
	Private bool
}

func (in Inbound) key() string {
	return strings.Join([]string{in.Route.Channel, in.Route.Account, in.Route.Chat, in.MessageID, fmt.Sprint(in.Revision)}, "\x00")
}

// A Content is a kind of content that errand cannot accept.
type Content string

const (
	Image   Content = "image"
	Voice   Content = "voice"
	File    Content = "file"
	Sticker Content = "sticker"
	Other   Content = "other" // a contact, a place, a poll …
)

// An Outcome is the result of an Inbound. An accepted one has a Key and will get an answer.
type Outcome struct {
	Person    core.PersonID // the sender; empty: unknown
	Key       core.SessionKey
	MessageID string
	Duplicate bool
	// Answer is errand's own answer: to a command, or, for a Private Inbound, why errand refused
	// it. HasMessage means that a message followed the command, which an agent answers.
	Answer     string
	HasMessage bool
	Refused    string // why it was refused; empty: it was accepted
	Code       string // a code for letting the sender in

	silent bool // one of many /stop messages; on a platform it gets no answer
}
