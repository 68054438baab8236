// Package events announces what happens in conversations to subscribers.
//
// The store's event log has the durable events, and subscribers read them there: an announced event
// only reports that the log has grown. No log has the reply's deltas; the bus passes them on. A
// process announces an event after its commit, because PostgreSQL commits transactions with notices
// one at a time. On SQLite the bus is [Local]; over PostgreSQL it is [Shared]. A publisher never
// waits. A subscriber that is too slow is notified to read the log again. Each subscriber also
// reads the log every 10 s, or every 250 ms while the bus of its process is not live.
package events

import "errand/internal/core"

// A Bus passes events on, by conversation and by task.
//
// Durable events (ID > 0) reach it after the commit of the transaction that wrote them to the event
// log. Passing events exist only here. A change of a task is announced even if no conversation has
// it in its log.
//
// If a subscriber does not keep up, or its bus has missed events, it receives one event of type
// [Lag] with id 0. It finds the durable events by reading the log from the last id it has seen.
// Nothing ever waits for a subscriber.
//
// Durable events of one conversation may arrive in another order than their ids, because
// transactions publish after their commit. From another process they arrive without their texts. So
// a subscriber takes an event as the signal to read the log.
//
// The methods that subscribe also return a function that cancels. After cancel, which may be called
// more than once, the channel is closed.
type Bus interface {
	// Publish sends e to every subscriber of its conversation and of its task. It never blocks.
	Publish(e core.Event)
	// Subscribe returns the future events of a conversation.
	Subscribe(key core.SessionKey) (events <-chan core.Event, cancel func())
	// SubscribeTask returns the future events of a task.
	SubscribeTask(id core.TaskID) (events <-chan core.Event, cancel func())
	// Join is like Subscribe, but first sends the open steps and the text of the reply so far, as a
	// reset and one delta.
	Join(key core.SessionKey) (events <-chan core.Event, cancel func())
	// Partial returns the text of a conversation's reply so far, as one delta; false if this
	// process knows none.
	Partial(key core.SessionKey) (core.Event, bool)
	// Watch returns what this process publishes for all conversations, except deltas: durable
	// events, changes of tasks, and the beginning of each step.
	Watch() (events <-chan core.Event, cancel func())
	// ChangeLists notifies the subscribers of a person's lists; an empty person means everyone's
	// lists. It never blocks.
	ChangeLists(person core.PersonID, lists Lists)
	// SubscribeLists returns changes of a person's lists, or of all lists with "". Changes that
	// were not read yet are merged, so none is lost. [AllLists] also covers missed ones. After
	// cancel, no more changes arrive.
	SubscribeLists(person core.PersonID) (changed <-chan Lists, cancel func())
	// Live reports whether subscribers receive all events of all processes. While it is false, they
	// have to poll the log. An event of type [Lag] announces changes of it.
	Live() bool
	// Stats returns the counts of this process since the bus was created.
	Stats() Stats
}

// Stats are the numbers of one process's bus.
type Stats struct {
	Subscribers int    // current, including watchers
	Sent        uint64 // messages to other processes
	Received    uint64 // messages of other processes
	Lost        uint64 // events that slow subscribers missed
	Unsent      uint64 // batches of messages that could not be sent
}

// Lag notifies a subscriber that it has lost events, or may have. It is never stored.
const Lag core.EventType = "lag"

// CallCanceled notifies a waiting call that its client has canceled it. It is never stored.
const CallCanceled core.EventType = "call_canceled"

func isDurable(e core.Event) bool { return e.ID != 0 || e.Type == core.EventTask }
