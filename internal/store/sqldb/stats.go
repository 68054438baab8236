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

// A Pool has the statistics of one pool of connections.
type Pool struct {
	Name string // write, read, urgent or extra
	sql.DBStats
}

// Pools returns all pools. On SQLite the waits of "write" are transactions that wait for the
// one writer.
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

// Locks counts how often transactions waited for others with their key since the database was
// opened.
type Locks struct {
	Waits    int64
	Waited   time.Duration // in total
	TimedOut int64         // waits that gave up or that the database ended
}

// Locks returns the counts so far.
func (d *DB) Locks() Locks {
	return Locks{d.locks.waits.Load(), time.Duration(d.locks.waited.Load()), d.locks.timedOut.Load()}
}

type lockStats struct{ waits, waited, timedOut atomic.Int64 }

// atOnce is the longest time that counts as no wait for a lock of PostgreSQL.
const atOnce = 5 * time.Millisecond

// wait counts a wait. The caller calls end after it.
func (l *lockStats) wait() (end func()) {
	began := time.Now()
	l.waits.Add(1)
	return func() { l.waited.Add(int64(time.Since(began))) }
}

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
