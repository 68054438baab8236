// Package store keeps everything that errand knows: messages, transcripts, tasks with
// their outcomes, deliveries, budgets, people and notes. Workflows carry ids only.
//
// Every write that matters is one transaction, and unique keys make it happen
// once: that, and not the state of a workflow, is what holds over retries,
// restarts and Temporal's retention. SQLite and PostgreSQL keep the same
// promises; storetest holds both to them.
package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"io/fs"
	"time"

	"github.com/google/uuid"

	"errand"
	"errand/internal/store/sqldb"
)

//go:embed migrations
var migrations embed.FS

// A Store keeps the words. Its methods may be called from many goroutines.
type Store struct {
	id      string
	db      *sqldb.DB
	hub     *Hub
	limits  Limits
	clock   func() time.Time
	draw    func() errand.TaskID
	wording func(*errand.Task, string) string // see Options.Notification
}

// Open opens the database, makes it if there is none, and brings its schema up
// to date. A database of a newer errand is refused and not touched.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{hub: NewHub(), limits: o.Limits, clock: o.Now, draw: o.NewTaskID, wording: o.Notification}
	if s.clock == nil {
		s.clock = time.Now
	}
	if s.draw == nil {
		s.draw = errand.NewTaskID
	}
	if s.wording == nil {
		s.wording = bareNotification
	}
	var err error
	s.db, err = sqldb.Open(sqldb.Options{
		SQLite: o.SQLite, PostgreSQL: o.PostgreSQL, Full: o.Full, Now: o.Now,
		Name: "store", Program: "errand", Own: isOwn, Trace: o.Trace,
	})
	if err != nil {
		return nil, err
	}
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) prepare(ctx context.Context) error {
	files, err := fs.Sub(migrations, "migrations")
	if err == nil {
		err = s.db.Migrate(ctx, files)
	}
	if err == nil {
		err = s.identify(ctx)
	}
	if err == nil {
		err = s.foldNames(ctx)
	}
	if err == nil && !s.db.Postgres() {
		err = s.releaseLeases(ctx)
	}
	return err
}

// isOwn reports whether err is one by which callers branch.
func isOwn(err error) bool {
	var budget *BudgetError
	for _, known := range []error{ErrNotFound, ErrAmbiguous, ErrClosed, ErrPaused, ErrTooLarge, ErrOpenTasks, ErrTooMany, ErrLastAdmin} {
		if errors.Is(err, known) {
			return true
		}
	}
	return errors.As(err, &budget)
}

// releaseLeases ends the leases of the process before. The file is this process's
// alone: whoever was sending, or held a connection, is gone, and nobody comes back for
// it.
func (s *Store) releaseLeases(ctx context.Context) error {
	return s.write(ctx, "", func(t *tx) error {
		for _, query := range []string{
			`UPDATE outbox SET sending_until = 0 WHERE state = 'sending'`,
			`UPDATE connections SET ` + unheld + `, since = 0`,
		} {
			if _, err := t.Exec(query); err != nil {
				return err
			}
		}
		return nil
	})
}

// identify reads the id of the store; a new store draws one.
func (s *Store) identify(ctx context.Context) error {
	return s.write(ctx, "", func(t *tx) error {
		if _, err := t.Exec(`INSERT INTO meta (key, value) VALUES ('id', ?) ON CONFLICT DO NOTHING`, uuid.NewString()); err != nil {
			return err
		}
		_, err := t.Value(&s.id, `SELECT value FROM meta WHERE key = 'id'`)
		return err
	})
}

// Close ends all connections. Nothing may be called afterwards.
func (s *Store) Close() error { return s.db.Close() }

// ID returns the UUID that was drawn when the store was made. Workflow inputs
// carry it, so that work begun on another store is recognised.
func (s *Store) ID() string { return s.id }

// Hub returns what publishes this process's events.
func (s *Store) Hub() *Hub { return s.hub }

// Ping checks that the store can be written to.
func (s *Store) Ping(ctx context.Context) error {
	if s.db.Postgres() {
		return s.db.Ping(ctx)
	}
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`UPDATE meta SET value = value WHERE key = 'id'`)
		return err
	})
}

// Extra opens a database for what others keep, and not the store: see [sqldb.DB.Extra].
func (s *Store) Extra(ctx context.Context, file string) (db *sql.DB, postgres bool, err error) {
	return s.db.Extra(ctx, file)
}
