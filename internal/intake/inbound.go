package intake

import (
	"fmt"
	"strings"
	"time"

	"errand"
	"errand/internal/service"
)

// A Sender is who a platform says that a message is from.
type Sender struct {
	// IDs are all that the platform knows them by, the one that lasts longest
	// first: a number and a hidden id may be one person's.
	IDs      []string
	Name     string // what they call themselves
	Language string // BCP 47, where the platform tells
	Bot      bool
}

// An Inbound is a message from outside: of a door, which knows who its Person is, or of
// a platform, which says who the Sender is. Nothing in it is trusted.
type Inbound struct {
	Route  errand.Route
	Person errand.PersonID // of a door; Receive identifies the Sender instead
	Role   errand.Role     // of a door: at most this; empty: the person's
	Sender Sender          // of a platform
	// By is who a door has found to say it: what they may not do by a token, no words of
	// theirs do that come by it.
	By    service.Actor
	Group bool // others read the chat too
	// MessageID is the platform's. A door may leave it out: one is drawn then.
	MessageID string
	Revision  int
	Sent      time.Time // when it was written, or edited, by the platform's clock; zero: now
	ReplyTo   string
	Text      string
	// Mentions are those whom Text names by the means of the platform.
	Mentions []Mention
	// Pressed says that Text is that of a button under the message ReplyTo.
	Pressed bool
	// Forwarded says that the sender did not write it, but passes it on. ForwardedFrom
	// is who did, as the platform tells; empty: nobody knows.
	Forwarded     bool
	ForwardedFrom string
	// Unreadable is what the message has that errand cannot take, or nothing: its
	// sender is told so, and Text is taken if there is any.
	Unreadable Content
	// Attachments are the files, pictures and recordings it came with. A message
	// may have no text besides.
	Attachments []Attachment
	// Album is what messages have in common that were sent as one, as several
	// pictures are: what is wrong with them is told once. Empty: it is alone.
	Album string
	// Tools and Outputs are of a door, see [store.InboxMessage].
	Tools   *errand.ClientTools
	Outputs []errand.ClientOutput
	// Unaddressed says that what a message became by an edit does not say any more
	// that it is for us: it is taken if the message was.
	Unaddressed bool
	// Deleted says that whoever sent MessageID took it back; there is no Text then.
	// Where the platform does not tell who that was, Sender may have no ids.
	Deleted bool
	// Private says that the channel can answer so that only the sender sees it:
	// what errand itself answers is then in the Outcome, and not in the outbox.
	Private bool
}

// key names a message among all of all platforms.
func (in Inbound) key() string {
	return strings.Join([]string{in.Route.Channel, in.Route.Account, in.Route.Chat, in.MessageID, fmt.Sprint(in.Revision)}, "\x00")
}

// A Content is something that a message has and errand cannot take.
type Content string

// What people send besides text.
const (
	Image   Content = "image"
	Voice   Content = "voice"
	File    Content = "file"
	Sticker Content = "sticker"
	Other   Content = "other" // a contact, a place, a poll …
)

// An Outcome is what became of an Inbound. One that was accepted has a Key, and will
// be answered whatever happens now.
type Outcome struct {
	Person    errand.PersonID // who it is from; empty: nobody knows
	Key       errand.SessionKey
	MessageID string
	Duplicate bool
	// Answer is what errand itself says to it: the answer of a command, which no agent
	// sees, and, where the Inbound was Private, why it was not accepted. Goes says
	// that a message followed the command, which an agent answers.
	Answer     string
	HasMessage bool
	Refused    string // why it was not accepted; empty: it was
	Code       string // with which the sender can be let in

	silent bool // it is a /stop after many others: on a platform it is not answered
}
