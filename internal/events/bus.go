// Package events announces what happens in conversations to those who follow them.
//
// What lasts is in the event log of the store, and a follower reads it there: an announced
// event only says that the log has grown. Pieces of text are in no log; the bus passes
// them on as they are. A process announces an event after its commit, because PostgreSQL
// commits transactions with notices one at a time. On SQLite the bus is [Local]; over
// PostgreSQL it is [Shared]. A publisher never waits. A follower that is too slow is told
// to read the log again, and each follower reads it every 10 s, or every 250 ms while its
// process is not live.
package events

import "errand"

// A Bus passes events on, by conversation and by task.
//
// Durable events (ID > 0) reach it after the transaction that wrote them; they are in
// the event log too. Passing events exist here only. That a task has changed is
// announced even where no conversation has it in its log.
//
// A subscriber that does not keep up, or whose bus has missed something, is told so by
// one event of type [Lag] and id 0. It finds what is durable by reading the log after
// the last id it has seen. Nothing ever waits for a subscriber.
//
// Durable events of one conversation may arrive in another order than their ids (two
// transactions commit, then publish), and from another process without their words: a
// subscriber takes an event as the sign to read the log.
//
// The methods that subscribe also return what ends that. After cancel, which may be
// called more than once, the channel is closed.
type Bus interface {
	// Publish hands e to every subscriber of its conversation and of its task. It never
	// blocks.
	Publish(e errand.Event)
	// Subscribe returns the events of a conversation from now on.
	Subscribe(key errand.SessionKey) (events <-chan errand.Event, cancel func())
	// SubscribeTask returns the events of a task from now on.
	SubscribeTask(id errand.TaskID) (events <-chan errand.Event, cancel func())
	// Join is Subscribe, and what goes on comes first: the open steps, and the text so
	// far of the reply that is being written, as one delta behind a reset.
	Join(key errand.SessionKey) (events <-chan errand.Event, cancel func())
	// Partial returns the text so far of the reply that is being written in a conversation, as
	// one delta; false where none is, as far as this process knows.
	Partial(key errand.SessionKey) (errand.Event, bool)
	// Watch returns what this process publishes for all conversations, without the
	// deltas: durable events, changes of tasks, and the beginning of each step.
	Watch() (events <-chan errand.Event, cancel func())
	// ChangeLists tells those who look at lists of a person that they are others now; of an
	// empty person, at anybody's. It never blocks.
	ChangeLists(person errand.PersonID, lists Lists)
	// SubscribeLists returns which lists of a person change, or, of an empty one, of
	// anybody. What was not taken yet becomes one with what follows, so nothing is lost;
	// what may have been missed is told as [AllLists]. After cancel nothing comes.
	SubscribeLists(person errand.PersonID) (changed <-chan Lists, cancel func())
	// Live reports whether subscribers learn of whatever is published, in whichever
	// process. While it is not, they have to look into the log themselves. They are told
	// of every change by an event of type [Lag].
	Live() bool
	// Stats returns what this process has counted since the bus was made.
	Stats() Stats
}

// Stats are the numbers of one process's bus.
type Stats struct {
	Subscribers int    // just now, with those that watch all conversations
	Sent        uint64 // messages to other processes
	Received    uint64 // messages of other processes
	Lost        uint64 // events that a subscriber was not given because it did not keep up
	Unsent      uint64 // batches of messages that could not be sent
}

// Lag tells a subscriber that it has lost events, or may have. It is never stored.
const Lag errand.EventType = "lag"

// CallCanceled tells the waiting call of a program that its client has canceled it. It
// is never stored.
const CallCanceled errand.EventType = "call_canceled"

// isDurable reports whether e says what can be read elsewhere, too.
func isDurable(e errand.Event) bool { return e.ID != 0 || e.Type == errand.EventTask }
