package store

import (
	"errand"
	"errand/internal/store/sqldb"
)

// What an agent keeps and finds is a person's, wherever they talk with it in
// private. Where others read the conversation, because they share it or because the
// chat is a group's, it is that conversation's own: what somebody said in private,
// or in another group, is not for these to read.

// readByOthers reports whether others read the chat that a task is from, or may. Where
// its origin does not say so and the address of the chat does not tell, its session does.
func readByOthers(q sqldb.Querier, o errand.Origin) (bool, error) {
	if o.InGroup() || o.Route.Chat == "" || o.Route.ShowsReaders() {
		return o.InGroup(), nil
	}
	var session sessionRow
	if _, err := q.Row(&session, `SELECT `+sessionColumns+` FROM sessions WHERE id = ?`, o.Session); err != nil {
		return false, err
	}
	return session.InGroup || !session.Private, nil
}

// notedFor names for whom an agent keeps its notes in a conversation: for the
// person, or, where others read it, for that conversation.
func notedFor(o errand.Origin) errand.PersonID {
	if o.InGroup() {
		return errand.PersonID(o.SessionKey)
	}
	return o.Person
}

// NotedFor names for whom the agent that makes the call keeps its notes: for the
// person, or for the conversation that others read.
func (c Call) NotedFor() errand.PersonID { return notedFor(c.Origin) }

// Sees are the tasks that the agent that makes the call may look up: the
// person's, or those of the conversation that others read.
func (c Call) Sees() TaskFilter {
	if c.Origin.InGroup() {
		return TaskFilter{Session: c.Origin.SessionKey}
	}
	return TaskFilter{Person: c.Person}
}

// Reminders are those that the agent that makes the call may list and cancel: the
// person's, or those of the conversation that others read.
func (c Call) Reminders() ReminderFilter {
	switch {
	case c.Origin.SessionKey.Shared():
		return ReminderFilter{Key: c.Origin.SessionKey}
	case c.Origin.Group:
		return ReminderFilter{Key: c.Origin.SessionKey, Person: c.Person}
	}
	return ReminderFilter{Person: c.Person}
}
