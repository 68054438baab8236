package store

import (
	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// In private chats, an agent's notes and search results belong to the person. In a conversation
// that others read, they belong to that conversation: its readers must not see what was said in
// private or in another group.

func readByOthers(q sqldb.Querier, o core.Origin) (bool, error) {
	if o.InGroup() || o.Route.Chat == "" || o.Route.ShowsReaders() {
		return o.InGroup(), nil
	}
	var session sessionRow
	if _, err := q.Row(&session, `SELECT `+sessionColumns+` FROM sessions WHERE id = ?`, o.Session); err != nil {
		return false, err
	}
	return session.InGroup || !session.Private, nil
}

func notedFor(o core.Origin) core.PersonID {
	if o.InGroup() {
		return core.PersonID(o.SessionKey)
	}
	return o.Person
}

// NotedFor returns the person that the calling agent keeps notes about, or the conversation if
// others read it.
func (c Call) NotedFor() core.PersonID { return notedFor(c.Origin) }

// Sees selects the tasks that the calling agent may look up: those of the person, or those of
// the conversation if others read it.
func (c Call) Sees() TaskFilter {
	if c.Origin.InGroup() {
		return TaskFilter{Session: c.Origin.SessionKey}
	}
	return TaskFilter{Person: c.Person}
}

// RemindersFor selects the reminders that an agent may list and cancel for a person: those of
// the person, or those of the conversation if others read it.
func RemindersFor(person core.PersonID, key core.SessionKey, inGroup bool) ReminderFilter {
	switch {
	case key.Shared():
		return ReminderFilter{Key: key}
	case inGroup:
		return ReminderFilter{Key: key, Person: person}
	}
	return ReminderFilter{Person: person}
}
