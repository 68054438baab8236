package sqldb

import (
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// A Pool is what one pool of connections is at.
type Pool struct {
	Name string // write, read, urgent or extra
	sql.DBStats
}

// Pools returns all pools. On SQLite, whose one connection is the lock of what writes,
// a transaction that waits for another waits for the connection.
func (d *DB) Pools() []Pool {
	list := []Pool{{"write", d.writer.Stats()}, {"read", d.reader.Stats()}}
	if d.urgent != d.writer {
		list = append(list, Pool{"urgent", d.urgent.Stats()})
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	extra := Pool{Name: "extra"}
	for _, db := range d.extras {
		s := db.Stats()
		extra.MaxOpenConnections += s.MaxOpenConnections
		extra.OpenConnections += s.OpenConnections
		extra.InUse += s.InUse
		extra.WaitCount += s.WaitCount
		extra.WaitDuration += s.WaitDuration
	}
	if len(d.extras) > 0 {
		list = append(list, extra)
	}
	return list
}

// Locks are what transactions have waited for others of their key, since the database
// was opened.
type Locks struct {
	Waits    int64         // those that had to wait
	Waited   time.Duration // all together
	TimedOut int64         // those that gave up, or were ended by the database
}

// Locks returns what was waited until now.
func (d *DB) Locks() Locks {
	return Locks{d.locks.waits.Load(), time.Duration(d.locks.waited.Load()), d.locks.timedOut.Load()}
}

type lockStats struct{ waits, waited, timedOut atomic.Int64 }

// atOnce is how long PostgreSQL takes at most to give a lock that is free: what takes
// longer has waited.
const atOnce = 5 * time.Millisecond

func (l *lockStats) wait(took time.Duration) {
	l.waits.Add(1)
	l.waited.Add(int64(took))
}

// failed counts err if it is that a lock was not to be had in time.
func (l *lockStats) failed(err error) {
	var pg *pgconn.PgError
	var lite *sqlite.Error
	switch {
	case errors.Is(err, errContended),
		errors.As(err, &pg) && (pg.Code == "55P03" || pg.Code == "40P01"), // lock_not_available, deadlock_detected
		errors.As(err, &lite) && (lite.Code()&0xff == sqlite3.SQLITE_BUSY || lite.Code()&0xff == sqlite3.SQLITE_LOCKED):
		l.timedOut.Add(1)
	}
}
