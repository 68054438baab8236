package gateway

import (
	"time"

	"errand"
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

// An Arrival is a message as a platform delivered it. Nothing in it is trusted.
type Arrival struct {
	Route     errand.Route
	Sender    Sender
	Group     bool   // others read the chat too
	MessageID string // the platform's
	Revision  int
	Sent      time.Time // when it was written, or edited, by the platform's clock; zero: now
	ReplyTo   string
	Text      string
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
	// Unaddressed says that what a message became by an edit does not say any more
	// that it is for us: it is taken if the message was.
	Unaddressed bool
	// Deleted says that whoever sent MessageID took it back; there is no Text then.
	// Where the platform does not tell who that was, Sender may have no ids.
	Deleted bool
	// Private says that the channel can answer so that only the sender sees it:
	// what errand itself answers is then in [Received], and not in the outbox.
	Private bool

	counted *counted // at which rates it was
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

// A Received is what became of an arrival.
type Received struct {
	Accepted
	Person  errand.PersonID // who it is from; empty: nobody knows
	Refused string          // why it was not accepted; empty: it was
	Code    string          // with which the sender can be let in
	// Told is what to tell the sender of one that was Private: the answer of the
	// command, or why it was not accepted; empty: nothing.
	Told string
}
