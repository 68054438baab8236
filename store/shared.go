package store

import "errand"

// What an agent keeps and finds is a person's, wherever they talk with it. In a
// conversation that all the people of a chat share it is that conversation's own:
// what somebody said in private, or in another group, is not for these to hear.

// notedFor names for whom an agent keeps its notes in a conversation: for the
// person, or, where all the people of a chat share it, for that chat. What is
// noted for one of them in private is not for the others to hear.
func notedFor(key errand.SessionKey, person errand.PersonID) errand.PersonID {
	if key.Shared() {
		return errand.PersonID(key)
	}
	return person
}

// NotedFor names for whom the agent that makes the call keeps its notes: for the
// person, or for the chat whose people share the conversation.
func (c Call) NotedFor() errand.PersonID { return notedFor(c.Origin.SessionKey, c.Person) }

// Sees are the tasks that the agent that makes the call may look up: the
// person's, or those of the conversation that the people of a chat share.
func (c Call) Sees() TaskFilter {
	if c.Origin.SessionKey.Shared() {
		return TaskFilter{Session: c.Origin.SessionKey}
	}
	return TaskFilter{Person: c.Person}
}

// Reminders are those that the agent that makes the call may list and cancel: the
// person's, or those of the conversation that the people of a chat share.
func (c Call) Reminders() ReminderFilter {
	if c.Origin.SessionKey.Shared() {
		return ReminderFilter{Key: c.Origin.SessionKey}
	}
	return ReminderFilter{Person: c.Person}
}
