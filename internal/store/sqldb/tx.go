package sqldb

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"errand/internal/limit"
)

// A Tx is a write transaction.
type Tx struct {
	Began time.Time // by [DB.Now]; the same time for the whole transaction
	ctx   context.Context
	d     *DB
	tx    *sql.Tx
}

// Write runs do once, in one transaction. If do returns an error, Write rolls back and returns
// it. On SQLite there is one writer at a time. On PostgreSQL the transaction holds the lock of
// key from before do until its end, so transactions with the same key run one after another; an
// empty key locks nothing. See [Tx.Lock] for a second key. Do slow computations before Write,
// and only check their result in do: on SQLite all writers wait for it.
func (d *DB) Write(ctx context.Context, key string, do func(*Tx) error) error {
	if d.postgres && key != "" {
		leave, err := d.enter(ctx, key)
		if err != nil {
			d.locks.failed(err)
			return d.Explain(err)
		}
		defer leave()
	}
	return d.runTx(ctx, d.writer, key, do)
}

// queueWait is how long a transaction waits in this process for others with its key, and for a
// connection. PostgreSQL ends a frozen transaction sooner.
const queueWait = 10 * time.Second

var errContended = errors.New("another transaction that locks the same has not ended in time; it is worth another attempt")

// enter waits until this process has no other transaction with the key, and a connection is free.
// If the transactions waited in PostgreSQL instead, those of one key could occupy all connections.
func (d *DB) enter(ctx context.Context, key string) (leave func(), err error) {
	turn, err := queue(ctx, d.turns, key, &d.locks)
	if err != nil {
		return nil, err
	}
	place, err := queue(ctx, d.places, "", &d.locks)
	if err != nil {
		turn()
		return nil, err
	}
	return func() { place(); turn() }, nil
}

func queue(ctx context.Context, s *limit.Semaphore[string], key string, stats *lockStats) (leave func(), err error) {
	if leave, ok := s.TryAcquire(key); ok {
		return leave, nil
	}
	defer stats.wait()()
	waiting, cancel := context.WithTimeout(ctx, queueWait)
	defer cancel()
	if leave, err = s.Acquire(waiting, key); err != nil {
		return nil, cmp.Or(ctx.Err(), errContended)
	}
	return leave, nil
}

// WriteUrgent is Write for transactions that must not wait, such as leases: on PostgreSQL it
// has its own connections. do must hold its locks only for a moment.
func (d *DB) WriteUrgent(ctx context.Context, key string, do func(*Tx) error) error {
	return d.runTx(ctx, d.urgent, key, do)
}

// WriteStop is Write for transactions that end things: it overtakes transactions with its key
// that wait in this process, and leaves connections for WriteUrgent.
func (d *DB) WriteStop(ctx context.Context, key string, do func(*Tx) error) error {
	if d.postgres {
		select {
		case d.stops <- struct{}{}:
			defer func() { <-d.stops }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return d.runTx(ctx, d.urgent, key, do)
}

func (d *DB) runTx(ctx context.Context, db *sql.DB, key string, do func(*Tx) error) error {
	sqlTx, err := db.BeginTx(ctx, nil)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d.locks.failed(err)
		return d.Explain(err)
	}
	// Rollback frees the connection after an error or a panic, because SQLite has only one.
	// After a commit it does nothing.
	defer func() { _ = sqlTx.Rollback() }()
	t := &Tx{Began: d.Now(), ctx: ctx, d: d, tx: sqlTx}
	if !d.postgres {
		// A transaction takes a millisecond. Canceling ctx still rolls it back; watching ctx in
		// every statement would cost more than it saves.
		t.ctx = context.WithoutCancel(ctx)
	}
	err = t.Lock(key)
	if err == nil {
		err = do(t)
	}
	if err == nil {
		err = sqlTx.Commit()
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		d.locks.failed(err)
		return d.Explain(err)
	}
	return nil
}

// Lock locks a key until the transaction ends; on SQLite it does nothing. All transactions must
// lock keys in the same order.
func (t *Tx) Lock(key string) error {
	if !t.d.postgres || key == "" {
		return nil
	}
	asked := time.Now()
	_, err := t.Exec(lockKey, key)
	if took := time.Since(asked); took > atOnce {
		t.d.locks.waits.Add(1)
		t.d.locks.waited.Add(int64(took))
	}
	return err
}

// Exec runs a statement and returns the number of changed rows.
func (t *Tx) Exec(query string, args ...any) (int64, error) {
	res, err := t.tx.ExecContext(t.ctx, t.text(query), args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", firstWords(query), err)
	}
	return res.RowsAffected()
}

// Query runs a query. The caller must close the rows before the next statement.
func (t *Tx) Query(query string, args ...any) (*sql.Rows, error) {
	rows, err := t.tx.QueryContext(t.ctx, t.text(query), args...)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", firstWords(query), err)
	}
	return rows, nil
}

func (t *Tx) text(query string) string {
	t.d.opened.TraceTx(query)
	return t.d.text(query)
}

// All reads every row into dest, a pointer to a slice.
func (t *Tx) All(dest any, query string, args ...any) error {
	return scanAll(t.ctx, t, t.d.rows, dest, query, args)
}

// Row reads the first row into dest, a pointer to a struct of columns; false without a row.
func (t *Tx) Row(dest any, query string, args ...any) (bool, error) {
	return scanRow(t.ctx, t, t.d.rows, dest, query, args)
}

// Value reads the first column of the first row; false without a row.
func (t *Tx) Value(dest any, query string, args ...any) (bool, error) {
	return scanValue(t, dest, query, args)
}
