package store

import (
	"context"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// Counts are how much there is to do, for a monitor.
type Counts struct {
	OpenTasks    map[errand.TaskState]int // those without any are there, too
	Inbox        int                      // messages that no turn has taken
	InboxOldest  time.Duration            // the age of the oldest; 0: there is none
	Outbox       map[errand.OutboxState]int
	OutboxOldest time.Duration // the age of the oldest that is tried
}

const (
	countTasks = `SELECT state, COUNT(*) AS n, 0 AS oldest FROM tasks WHERE ` + open + ` GROUP BY state`
	countInbox = `SELECT COUNT(*) AS n, COALESCE(MIN(id), 0) AS oldest FROM inbox WHERE turn IS NULL AND NOT superseded`
	// Ids are given in order: the lowest is the oldest, and is in the index.
	countUnsent  = `SELECT state, COUNT(*) AS n, MIN(id) AS oldest FROM outbox WHERE ` + unsent + ` GROUP BY state`
	countBlocked = `SELECT COUNT(*) FROM outbox WHERE state = 'blocked' AND NOT reopened`
)

// Counts counts by indexes of what is open, however much there is that is over. What
// was blocked, tried once more and blocked again is not counted.
func (s *Store) Counts(ctx context.Context) (Counts, error) {
	c := Counts{OpenTasks: map[errand.TaskState]int{}, Outbox: map[errand.OutboxState]int{}}
	for _, state := range errand.OpenStates() {
		c.OpenTasks[state] = 0
	}
	for _, state := range []errand.OutboxState{errand.Pending, errand.Sending, errand.Unknown, errand.Blocked} {
		c.Outbox[state] = 0
	}
	q := s.read(ctx)
	type row struct {
		State     string
		N, Oldest int64
	}
	var tasks, unsent []row
	var inbox row
	if err := q.All(&tasks, countTasks); err != nil {
		return c, err
	}
	for _, r := range tasks {
		c.OpenTasks[errand.TaskState(r.State)] = int(r.N)
	}
	if _, err := q.Row(&inbox, countInbox); err != nil {
		return c, err
	}
	c.Inbox = int(inbox.N)
	if err := q.All(&unsent, countUnsent); err != nil {
		return c, err
	}
	oldest := int64(0)
	for _, r := range unsent {
		c.Outbox[errand.OutboxState(r.State)] = int(r.N)
		if oldest == 0 || r.Oldest < oldest {
			oldest = r.Oldest
		}
	}
	var blocked int
	if _, err := q.Value(&blocked, countBlocked); err != nil {
		return c, err
	}
	c.Outbox[errand.Blocked] = blocked
	var err error
	if c.InboxOldest, err = s.age(q, `SELECT created FROM inbox WHERE id = ?`, inbox.Oldest); err != nil {
		return c, err
	}
	c.OutboxOldest, err = s.age(q, `SELECT created FROM outbox WHERE id = ?`, oldest)
	return c, err
}

// age is how long ago a row was made; 0 where there is none.
func (s *Store) age(q sqldb.Querier, query string, id int64) (time.Duration, error) {
	var created int64
	if id == 0 {
		return 0, nil
	}
	found, err := q.Value(&created, query, id)
	if err != nil || !found {
		return 0, err
	}
	return max(s.clock().Sub(at(created)), 0), nil
}

// Pools returns what the pools of connections to the database are at.
func (s *Store) Pools() []sqldb.Pool { return s.db.Pools() }

// Locks returns what transactions of this process have waited for each other.
func (s *Store) Locks() sqldb.Locks { return s.db.Locks() }
