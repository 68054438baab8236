package store

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/uptrace/bun"

	"errand"
)

// A tx is one transaction that writes. What it announces is published once it
// has been committed, and never otherwise.
type tx struct {
	ctx    context.Context
	s      *Store
	tx     *sql.Tx
	now    int64 // microseconds; one time for the whole transaction
	events []errand.Event
	closed []errand.Task // by a turn that was stopped
}

// write runs do in one transaction.
//
// On SQLite there is one writer at a time. On PostgreSQL the transaction holds
// the lock of its conversation instead (all that one person's chat and the
// tasks it began do), which gives the same order: two transactions of one
// conversation never overlap, so that a kill cannot pass an outcome and events
// become visible in the order of their ids. A transaction takes that lock
// before it reads what it decides on; it takes one only, so two cannot wait
// for each other.
//
// Whatever input can make long is computed before, and looked at again in here:
// on SQLite everybody waits for a transaction.
func (s *Store) write(ctx context.Context, conversation string, do func(*tx) error) error {
	if s.postgres && conversation != "" {
		leave, err := s.conversations.enter(ctx, conversation)
		if err != nil {
			return s.explain(err)
		}
		defer leave()
	}
	return s.writeBy(ctx, s.writer, conversation, do)
}

// writeVital is write for what must go on while others wait: a lease that is not
// renewed is lost.
func (s *Store) writeVital(ctx context.Context, do func(*tx) error) error {
	return s.writeBy(ctx, s.vital, "", do)
}

// writeStop is write for what ends things: it goes past the transactions of its
// conversation that wait in this process.
func (s *Store) writeStop(ctx context.Context, conversation string, do func(*tx) error) error {
	if s.postgres {
		select {
		case s.stops <- struct{}{}:
			defer func() { <-s.stops }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return s.writeBy(ctx, s.vital, conversation, do)
}

func (s *Store) writeBy(ctx context.Context, db *sql.DB, conversation string, do func(*tx) error) error {
	sqlTx, err := db.BeginTx(ctx, nil)
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return s.explain(err)
	}
	t := &tx{ctx: ctx, s: s, tx: sqlTx, now: micros(s.clock())}
	if !s.postgres {
		// A transaction takes a millisecond. Cancelling ctx still undoes it;
		// watching ctx in every statement would cost more than that saves.
		t.ctx = context.WithoutCancel(ctx)
	}
	err = t.lock(conversation)
	if err == nil {
		err = do(t)
	}
	if err == nil {
		err = sqlTx.Commit()
	} else {
		// The error that led here says more than one from rolling back.
		_ = sqlTx.Rollback()
	}
	if err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return s.explain(err)
	}
	s.writes.prepareMissing(t.ctx)
	for _, e := range t.events {
		s.hub.Publish(e)
	}
	return nil
}

func (t *tx) lock(conversation string) error {
	if !t.s.postgres || conversation == "" {
		return nil
	}
	_, err := t.exec(`SELECT pg_advisory_xact_lock(hashtextextended(?, 0))`, conversation)
	return err
}

// byServerClock has the transaction take its time from the database.
func (t *tx) byServerClock() (err error) {
	t.now, err = t.s.serverNow(t)
	return err
}

// exec runs a statement and returns how many rows it changed.
func (t *tx) exec(query string, args ...any) (int64, error) {
	var res sql.Result
	var err error
	if stmt, text := t.s.writes.get(query); stmt != nil {
		res, err = t.tx.StmtContext(t.ctx, stmt).ExecContext(t.ctx, args...)
	} else {
		res, err = t.tx.ExecContext(t.ctx, text, args...)
	}
	if err != nil {
		return 0, fmt.Errorf("%s: %w", firstWords(query), err)
	}
	return res.RowsAffected()
}

func (t *tx) query(query string, args ...any) (*sql.Rows, error) {
	var rows *sql.Rows
	var err error
	if stmt, text := t.s.writes.get(query); stmt != nil {
		rows, err = t.tx.StmtContext(t.ctx, stmt).QueryContext(t.ctx, args...)
	} else {
		rows, err = t.tx.QueryContext(t.ctx, text, args...)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", firstWords(query), err)
	}
	return rows, nil
}

// all reads every row into dest, a pointer to a slice.
func (t *tx) all(dest any, query string, args ...any) error {
	return scanAll(t, t.s.db, t.ctx, dest, query, args)
}

// row reads the first row into dest, a pointer to a struct of columns; false
// if there is none.
func (t *tx) row(dest any, query string, args ...any) (bool, error) {
	return scanRow(t, t.s.db, t.ctx, dest, query, args)
}

// value reads the first column of the first row; false if there is none.
func (t *tx) value(dest any, query string, args ...any) (bool, error) {
	return scanValue(t, dest, query, args)
}

// A reader reads outside of a transaction: on SQLite through connections of
// its own, which no writer holds up.
type reader struct {
	ctx context.Context
	s   *Store
}

func (s *Store) read(ctx context.Context) reader { return reader{ctx, s} }

// text returns query in the words of the database.
func (s *Store) text(query string) string {
	if s.postgres {
		return numbered(query)
	}
	return query
}

func (r reader) query(query string, args ...any) (*sql.Rows, error) {
	rows, err := r.s.reader.QueryContext(r.ctx, r.s.text(query), args...)
	if err != nil {
		return nil, r.s.explain(fmt.Errorf("%s: %w", firstWords(query), err))
	}
	return rows, nil
}

func (r reader) all(dest any, query string, args ...any) error {
	return scanAll(r, r.s.db, r.ctx, dest, query, args)
}

func (r reader) row(dest any, query string, args ...any) (bool, error) {
	return scanRow(r, r.s.db, r.ctx, dest, query, args)
}

func (r reader) value(dest any, query string, args ...any) (bool, error) {
	return scanValue(r, dest, query, args)
}

// A querier is a tx or a reader: what both can do is written once.
type querier interface {
	query(query string, args ...any) (*sql.Rows, error)
	all(dest any, query string, args ...any) error
	row(dest any, query string, args ...any) (bool, error)
	value(dest any, query string, args ...any) (bool, error)
}

func scanAll(q querier, db *bun.DB, ctx context.Context, dest any, query string, args []any) error {
	rows, err := q.query(query, args...)
	if err != nil {
		return err
	}
	return db.ScanRows(ctx, rows, dest) // closes rows
}

func scanRow(q querier, db *bun.DB, ctx context.Context, dest any, query string, args []any) (bool, error) {
	rows, err := q.query(query, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return false, rows.Err()
	}
	if err := db.ScanRow(ctx, rows, dest); err != nil {
		return false, err
	}
	return true, rows.Close()
}

func scanValue(q querier, dest any, query string, args []any) (bool, error) {
	rows, err := q.query(query, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return false, rows.Err()
	}
	if err := rows.Scan(dest); err != nil {
		return false, err
	}
	return true, rows.Close()
}

// statements keeps the prepared statements of SQLite's one writer: parsing a
// query costs more than running it. Queries are constants, or one of a few
// variants of one. On PostgreSQL pgx keeps them, for each connection.
type statements struct {
	db       *sql.DB
	postgres bool
	mu       sync.Mutex
	known    map[string]*sql.Stmt // nil: seen, not prepared yet
	missing  []string
	texts    map[string]string // of PostgreSQL, by our query
}

// get returns the statement of query, nil if there is none yet, and its text in
// the words of the database. It prepares nothing: the one connection that could
// do so is busy with the transaction that asks.
func (p *statements) get(query string) (*sql.Stmt, string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.postgres {
		text, ok := p.texts[query]
		if !ok {
			text = numbered(query)
			p.texts[query] = text
		}
		return nil, text
	}
	stmt, ok := p.known[query]
	if !ok {
		p.known[query] = nil
		p.missing = append(p.missing, query)
	}
	return stmt, query
}

// prepareMissing prepares what was asked for since it was last called, for
// next time. A query that cannot be prepared has told why when it was run.
func (p *statements) prepareMissing(ctx context.Context) {
	p.mu.Lock()
	missing := p.missing
	p.missing = nil
	p.mu.Unlock()
	for _, query := range missing {
		stmt, err := p.db.PrepareContext(ctx, query)
		if err != nil {
			continue
		}
		p.mu.Lock()
		p.known[query] = stmt
		p.mu.Unlock()
	}
}

// numbered turns ? into $1, $2 …: our queries have no ? of their own.
func numbered(query string) string {
	var b strings.Builder
	n := 0
	for _, r := range query {
		if r != '?' {
			b.WriteRune(r)
			continue
		}
		n++
		b.WriteByte('$')
		b.WriteString(strconv.Itoa(n))
	}
	return b.String()
}

// limited is a LIMIT written out: with a placeholder, SQLite would parse the
// query again for every number it is given.
func limited(n int) string { return " LIMIT " + strconv.Itoa(n) }

// firstWords names a query in an error, without its arguments.
func firstWords(query string) string {
	words := strings.Fields(query)
	if len(words) > 3 {
		words = words[:3]
	}
	return strings.ToLower(strings.Join(words, " "))
}

func micros(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func at(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return time.UnixMicro(us).UTC()
}
