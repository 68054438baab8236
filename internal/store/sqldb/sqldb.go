// Package sqldb is the database under the store: connections, the schema and
// transactions, alike on SQLite and PostgreSQL. It knows nothing of what is kept. The
// caller writes SQL that both understand, with ? for arguments, and asks
// [DB.Postgres] where they differ.
//
// Concurrency. A [DB] may be used from many goroutines, a [Tx] by its own only. On
// SQLite there is one writer, and transactions wait for it in turn; what reads has
// connections of its own and is held up by no writer. On PostgreSQL a transaction
// locks a key that its caller names: two of one key never overlap, in whatever process on
// the same schema, those of other keys run beside it. In one process all but the first of a key wait
// without a connection ([DB.Write]), so that those that wait take none from those that
// work. What must go on while others wait has a pool of its own ([DB.WriteUrgent],
// [DB.WriteStop]).
//
// Retry. Nothing is repeated here. A transaction is kept as a whole or not at all, and
// an error says where another attempt is worth it: PostgreSQL ends, by time limits,
// what stands still, waits for a lock or takes too long. Whoever calls decides. So a
// function that is given to Write may run again in a later call, and sets what it
// returns to its caller anew each time. When the connection is lost at the end, it is
// not known whether a transaction was kept: what must not happen twice needs a unique
// key.
//
// Isolation. SQLite is serializable: a transaction locks the database when it begins.
// PostgreSQL reads what is committed when each statement begins; what a transaction
// decides on is its own because it holds the lock of its key before it first reads.
// Rows that transactions of several keys change are changed by one conditional
// statement. A [Reader] is in no transaction: two reads may see two states.
package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"
)

// Options open a database. Exactly one of SQLite and PostgreSQL is set.
type Options struct {
	SQLite     string           // path of the file, which is made if there is none
	PostgreSQL string           // a URL, postgres://…
	Full       bool             // SQLite: synchronous=FULL, which a power cut cannot undo
	Now        func() time.Time // the clock, also on PostgreSQL; default: see [DB.Now]
	// Local is the clock of this machine, of which PostgreSQL's may differ; default:
	// time.Now.
	Local   func() time.Time
	Name    string // stands in front of errors
	Program string // whose newer version a schema that is not known is from
	// Own reports whether an error is the caller's own: it passes unchanged. Default:
	// none is.
	Own func(error) bool
	// Trace, if set, is called with every statement before it runs, without its
	// arguments.
	Trace func(query string)
	// TraceTx, if set, is likewise called with the statements of transactions alone.
	TraceTx func(query string)
}

// A DB is an open database.
type DB struct {
	opened   Options
	name     string // of the database, for errors
	postgres bool
	ownClock bool         // the clock was given by Options
	ahead    atomic.Int64 // by how much PostgreSQL's clock is ahead of this machine's, in nanoseconds
	writer   *sql.DB
	reader   *sql.DB
	urgent   *sql.DB // the same as writer on SQLite
	rows     *bun.DB // scans rows; belongs to reader
	keys     queues  // on PostgreSQL
	locks    lockStats
	stops    chan struct{} // on PostgreSQL: places of those that wait for keys in urgent

	mu     sync.Mutex
	extras []*sql.DB
}

// Open opens a database. [DB.Prepare] makes its tables.
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

// Close ends all connections. Nothing may be called afterwards.
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

// Postgres reports whether the database is PostgreSQL; else it is SQLite.
func (d *DB) Postgres() bool { return d.postgres }

// RowID is the name of the column by which both find a row that has been read in the
// same statement.
func (d *DB) RowID() string {
	if d.postgres {
		return "ctid"
	}
	return "rowid"
}

// Ping checks that PostgreSQL takes writes. On SQLite it does nothing: a transaction
// that writes finds out.
func (d *DB) Ping(ctx context.Context) error {
	if !d.postgres {
		return nil
	}
	return d.pingPostgreSQL(ctx)
}

// ServerTime returns the time of the database's clock, to compare leases of processes
// whose own clocks differ: on SQLite, whose file is one process's alone, that of
// Options. A clock that Options has given counts everywhere.
func (d *DB) ServerTime(q Querier) (time.Time, error) {
	if !d.postgres || d.ownClock {
		return d.Now(), nil
	}
	asked := d.opened.Local()
	now, err := serverTime(q)
	if err == nil {
		// The clock is read when the question has arrived: half of the time that it took
		// is what this is wrong by, at most.
		answered := d.opened.Local()
		d.ahead.Store(int64(now.Sub(asked.Add(answered.Sub(asked) / 2))))
	}
	return now, err
}

// Now is the time: the one of Options, if that has a clock. Otherwise on SQLite this
// machine's, and on PostgreSQL this machine's put right by the database's whenever that is
// read ([DB.ServerTime]), as leases do every few seconds. So the rows of workers whose
// clocks differ are in one order, and what is due is due to all of them.
func (d *DB) Now() time.Time {
	if d.ownClock {
		return d.opened.Now()
	}
	return d.opened.Local().Add(time.Duration(d.ahead.Load()))
}
