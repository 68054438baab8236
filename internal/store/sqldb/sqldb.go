// Package sqldb is the database layer under the store: connections, the schema and transactions,
// alike on SQLite and PostgreSQL. It knows nothing about the stored data. The caller writes SQL
// that both understand, with ? for arguments, and asks [DB.Postgres] if they differ.
//
// Concurrency. A [DB] is safe for concurrent use, a [Tx] is not. SQLite has one writer, and
// transactions wait for it in turn; reads have connections of their own and do not wait for the
// writer. On PostgreSQL a transaction locks a key that its caller names: transactions with the same
// key never overlap, in any process on the same schema; those with different keys run concurrently.
// Within a process only the first transaction of a key has a connection. The others wait without
// one ([DB.Write]), so that they do not block transactions with other keys. Transactions that must
// not wait for others have a pool of their own ([DB.WriteUrgent], [DB.WriteStop]).
//
// Retry. This package retries nothing. A transaction is committed as a whole or not at all, and
// [IsAway] says whether another attempt makes sense: PostgreSQL's time limits end a transaction
// that is idle, waits too long for a lock or takes too long. The caller decides. So a function that
// is passed to Write may run again in a later call, and must set its results anew each time. If the
// connection is lost during the commit, it is unknown whether the transaction was committed: what
// must not happen twice needs a unique key.
//
// Isolation. SQLite is serializable: a transaction locks the database when it begins. PostgreSQL
// reads what is committed when each statement begins; a transaction holds the lock of its key
// before its first read, so no other transaction changes the rows of that key. Rows that
// transactions with several keys change are changed by one conditional statement. A [Reader] is in
// no transaction: two reads may see two states.
//
// Statements. Connections to SQLite keep their prepared statements ([Keep]): then SQLite parses a
// statement once and not each time, which takes longer than running it.
package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"errand/internal/limit"
)

// Options configure [Open]. Exactly one of SQLite and PostgreSQL is set.
type Options struct {
	SQLite     string           // path of the file; created if it does not exist
	PostgreSQL string           // a URL, postgres://…
	Full       bool             // SQLite: synchronous=FULL; a power cut then loses no commit
	Now        func() time.Time // the clock, also on PostgreSQL; default: see [DB.Now]
	// Local is the clock of this machine; default time.Now.
	Local func() time.Time
	Name  string // prefix of errors
	// Own reports whether an error belongs to the caller; such errors pass unchanged. Default:
	// none.
	Own func(error) bool
	// Trace, if set, is called with every statement before it runs, without its arguments.
	Trace func(query string)
	// TraceTx, if set, is called in the same way, but only for statements in transactions.
	TraceTx func(query string)
}

// A DB is an open database.
type DB struct {
	opened   Options
	name     string // of the database, for errors
	postgres bool
	ownClock bool         // Options.Now is set
	ahead    atomic.Int64 // PostgreSQL's clock minus this machine's, in nanoseconds
	writer   *sql.DB
	reader   *sql.DB
	urgent   *sql.DB                  // the same as writer on SQLite
	rows     *bun.DB                  // scans rows; belongs to reader
	turns    *limit.Semaphore[string] // one transaction per key at a time, on PostgreSQL
	places   *limit.Semaphore[string] // places of all these transactions
	locks    lockStats
	stops    chan struct{} // on PostgreSQL: places in urgent for transactions that wait for keys

	mu     sync.Mutex
	extras []*sql.DB
}

// Open opens a database. It creates no tables; [DB.Prepare] does.
func Open(o Options) (*DB, error) {
	d := &DB{opened: o, ownClock: o.Now != nil}
	if d.opened.Local == nil {
		d.opened.Local = time.Now
	}
	if d.opened.Trace == nil {
		d.opened.Trace = func(string) {}
	}
	if d.opened.TraceTx == nil {
		d.opened.TraceTx = func(string) {}
	}
	var err error
	switch {
	case (o.SQLite == "") == (o.PostgreSQL == ""):
		return nil, errors.New(o.Name + ": exactly one of SQLite and PostgreSQL must be set")
	case o.SQLite != "":
		err = d.openSQLite()
	default:
		err = d.openPostgreSQL()
	}
	if err != nil {
		return nil, errors.Join(d.Explain(err), d.Close())
	}
	return d, nil
}

// Close closes all connections. No method may be called afterwards.
func (d *DB) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, extra := range d.extras {
		errs = append(errs, extra.Close())
	}
	if d.urgent != nil && d.urgent != d.writer {
		errs = append(errs, d.urgent.Close())
	}
	if d.reader != nil {
		errs = append(errs, d.reader.Close())
	}
	if d.writer != nil {
		errs = append(errs, d.writer.Close())
	}
	return errors.Join(errs...)
}

// Postgres reports whether the database is PostgreSQL; otherwise it is SQLite.
func (d *DB) Postgres() bool { return d.postgres }

// RowID returns the column that identifies a row within one statement.
func (d *DB) RowID() string {
	if d.postgres {
		return "ctid"
	}
	return "rowid"
}

// Ping checks that PostgreSQL accepts writes. On SQLite it does nothing.
func (d *DB) Ping(ctx context.Context) error {
	if !d.postgres {
		return nil
	}
	return d.pingPostgreSQL(ctx)
}

// ServerTime returns the time of the database's clock, to compare leases of processes with
// different clocks. With Options.Now, and on SQLite, it returns [DB.Now].
func (d *DB) ServerTime(q Querier) (time.Time, error) {
	if !d.postgres || d.ownClock {
		return d.Now(), nil
	}
	asked := d.opened.Local()
	now, err := serverTime(q)
	if err == nil {
		// The server read its clock in between: the error is at most half of the round trip.
		answered := d.opened.Local()
		d.ahead.Store(int64(now.Sub(asked.Add(answered.Sub(asked) / 2))))
	}
	return now, err
}

// Now returns the time of Options.Now, or of this machine. On PostgreSQL it adds the difference
// to the database's clock at the last [DB.ServerTime], so that workers with different clocks
// write rows in one order.
func (d *DB) Now() time.Time {
	if d.ownClock {
		return d.opened.Now()
	}
	return d.opened.Local().Add(time.Duration(d.ahead.Load()))
}
