package store

import (
	"context"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// Counts are the sizes of the open work, for monitoring.
type Counts struct {
	OpenTasks    map[core.TaskState]int // has every open state, also with 0
	Inbox        int                    // messages that no turn has taken
	InboxOldest  time.Duration          // the age of the oldest; 0: no messages
	Outbox       map[core.OutboxState]int
	OutboxOldest time.Duration // the age of the oldest unsent row
}

const (
	countTasks = `SELECT state, COUNT(*) AS n, 0 AS oldest FROM tasks WHERE ` + open + ` GROUP BY state`
	countInbox = `SELECT COUNT(*) AS n, COALESCE(MIN(id), 0) AS oldest FROM inbox WHERE turn IS NULL AND NOT superseded`
	// Ids grow with time: the lowest id is the oldest row, and the index has it.
	countUnsent  = `SELECT state, COUNT(*) AS n, MIN(id) AS oldest FROM outbox WHERE ` + unsent + ` GROUP BY state`
	countBlocked = `SELECT COUNT(*) FROM outbox WHERE state = 'blocked' AND NOT reopened`
)

// Counts counts open work. It uses indexes of open rows, so finished rows cost nothing. A row
// that was blocked, retried and blocked again is not counted.
func (s *Store) Counts(ctx context.Context) (Counts, error) {
	c := Counts{OpenTasks: map[core.TaskState]int{}, Outbox: map[core.OutboxState]int{}}
	for _, state := range core.OpenStates() {
		c.OpenTasks[state] = 0
	}
	for _, state := range []core.OutboxState{core.Pending, core.Sending, core.Unknown, core.Blocked} {
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
		c.OpenTasks[core.TaskState(r.State)] = int(r.N)
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
		c.Outbox[core.OutboxState(r.State)] = int(r.N)
		if oldest == 0 || r.Oldest < oldest {
			oldest = r.Oldest
		}
	}
	var blocked int
	if _, err := q.Value(&blocked, countBlocked); err != nil {
		return c, err
	}
	c.Outbox[core.Blocked] = blocked
	var err error
	if c.InboxOldest, err = age(q, s.clock(), `SELECT created FROM inbox WHERE id = ?`, inbox.Oldest); err != nil {
		return c, err
	}
	c.OutboxOldest, err = age(q, s.clock(), `SELECT created FROM outbox WHERE id = ?`, oldest)
	return c, err
}

func age(q sqldb.Querier, now time.Time, query string, id int64) (time.Duration, error) {
	var created int64
	if id == 0 {
		return 0, nil
	}
	found, err := q.Value(&created, query, id)
	if err != nil || !found {
		return 0, err
	}
	return max(now.Sub(at(created)), 0), nil
}

// Pools returns the state of the pools of database connections.
func (s *Store) Pools() []sqldb.Pool { return s.db.Pools() }

// Locks returns how long transactions of this process have waited for each other.
func (s *Store) Locks() sqldb.Locks { return s.db.Locks() }
