package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// A Tx is one transaction that writes.
type Tx struct {
	Began time.Time // by [DB.Now]: one time for the whole transaction
	ctx   context.Context
	d     *DB
	tx    *sql.Tx
}

// Write runs do in one transaction, and keeps what it did if it returns no error. An
// error of do ends it and is returned. do is not run twice.
//
// On SQLite there is one writer at a time. On PostgreSQL the transaction holds the lock
// of its key instead, from before do begins until it ends, which gives the same order
// to all that have one key; with no key it holds none. See [Tx.Lock] for a second one.
//
// Whatever input can make long is computed before, and looked at again in do: on
// SQLite everybody waits for a transaction.
func (d *DB) Write(ctx context.Context, key string, do func(*Tx) error) error {
	if d.postgres && key != "" {
		leave, err := d.keys.enter(ctx, key, &d.locks)
		if err != nil {
			d.locks.failed(err)
			return d.Explain(err)
		}
		defer leave()
	}
	return d.runTx(ctx, d.writer, key, do)
}

// WriteUrgent is Write for what must go on while others wait, such as a lease, which is
// lost if it is not renewed: on PostgreSQL it has connections of its own. What it
// locks is held for a moment only.
func (d *DB) WriteUrgent(ctx context.Context, key string, do func(*Tx) error) error {
	return d.runTx(ctx, d.urgent, key, do)
}

// WriteStop is Write for what ends things: it goes past the transactions of its key
// that wait in this process. Those that wait for their key's lock leave connections
// for WriteUrgent.
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
	// What fails or panics must not keep the connection: SQLite has one. After a commit
	// it does nothing, and the error that led here says more than its own.
	defer func() { _ = sqlTx.Rollback() }()
	t := &Tx{Began: d.Now(), ctx: ctx, d: d, tx: sqlTx}
	if !d.postgres {
		// A transaction takes a millisecond. Cancelling ctx still undoes it;
		// watching ctx in every statement would cost more than that saves.
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

// Lock holds the lock of a key until the transaction ends; on SQLite it does nothing. Two
// transactions must not take two locks in different orders, since they would wait for each
// other.
func (t *Tx) Lock(key string) error {
	if !t.d.postgres || key == "" {
		return nil
	}
	asked := time.Now()
	_, err := t.Exec(lockKey, key)
	if took := time.Since(asked); took > atOnce {
		t.d.locks.wait(took)
	}
	return err
}

// Exec runs a statement and returns how many rows it changed.
func (t *Tx) Exec(query string, args ...any) (int64, error) {
	res, err := t.tx.ExecContext(t.ctx, t.text(query), args...)
	if err != nil {
		return 0, fmt.Errorf("%s: %w", firstWords(query), err)
	}
	return res.RowsAffected()
}

// Query runs a query. The caller closes its rows before the next statement.
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

// Row reads the first row into dest, a pointer to a struct of columns; false if there
// is none.
func (t *Tx) Row(dest any, query string, args ...any) (bool, error) {
	return scanRow(t.ctx, t, t.d.rows, dest, query, args)
}

// Value reads the first column of the first row; false if there is none.
func (t *Tx) Value(dest any, query string, args ...any) (bool, error) {
	return scanValue(t, dest, query, args)
}
