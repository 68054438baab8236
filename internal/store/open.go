// Package store keeps everything that errand knows: messages, transcripts, tasks with
// their outcomes, deliveries, budgets, people and notes. Workflows carry ids only.
//
// Every write that matters is one transaction, and unique keys make it happen
// once: that, and not the state of a workflow, is what holds over retries,
// restarts and Temporal's retention. SQLite and PostgreSQL keep the same
// promises; storetest holds both to them.
//
// A step has two transactions. [Store.BeginStep] (T1) claims rows of the inbox, takes
// results, decides their way and reserves the budget. [Store.CommitStep] (T2) writes the
// answer, the tasks that it asks for and the settled budget, and with a final answer the
// outbox row, the event and the end of the turn. If the step has an outcome already, T1
// returns it and T2 keeps it. Both refuse when the turn, the session or a task above was
// closed; T2 records the cost all the same.
//
// Budgets are rows: one for the tree of a turn, and one per person and UTC day. The end
// of a task releases what is left of its reservations.
package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"errand"
	"errand/internal/events"
	"errand/internal/store/sqldb"
)

// A Store keeps the words. Its methods may be called from many goroutines.
type Store struct {
	id      string
	db      *sqldb.DB
	bus     events.Bus
	limits  Limits
	clock   func() time.Time
	draw    func() errand.TaskID
	wording func(*errand.Task, string, string) string // see Options.Notification
	ended   func(errand.TaskState)                    // see Options.OnTaskEnd
	agents  map[errand.Role][]errand.AgentName
	full    atomic.Pointer[fullDisk] // the last write that a full disk refused
}

// A fullDisk is a write that a full disk refused.
type fullDisk struct {
	err error
	at  time.Time
}

// fullFor is how long the store counts as full after such a write: small ones may fit in where
// there is no room for others, and each worker renews its registration more often than that.
const fullFor = 15 * time.Second

// Options open a store. Exactly one of SQLite and PostgreSQL is set.
type Options struct {
	SQLite     string // path of the database file
	PostgreSQL string // a URL, postgres://…
	Full       bool   // SQLite: synchronous=FULL, which a power cut cannot undo
	Limits     Limits
	Now        func() time.Time // the clock, also on PostgreSQL; default: see [Store.Now]
	// Local is the clock of this machine; default time.Now.
	Local func() time.Time
	// NewTaskID draws the id of a task; default errand.NewTaskID.
	NewTaskID func() errand.TaskID
	// Notification words how the outcome of a task is told by a notification, in a
	// person's language (BCP 47; empty: not known) and by the clocks of their zone (IANA;
	// empty: the installation's). No transaction waits for it: one
	// that lacks the words is undone, and repeated when they are there.
	// Default: the id, the state and the outcome.
	Notification func(task *errand.Task, language, zone string) string
	// Agents are those that there are, and that may be sent on a task for a person of a
	// role: what follows a decision is held against that. nil: any.
	Agents map[errand.Role][]errand.AgentName
	// OnTaskEnd, if set, is called with the state of each task that ends, once its end
	// is committed. It may be called from many goroutines.
	OnTaskEnd func(errand.TaskState)
	// Logger takes word of events that other processes do not hear of, or that are not
	// heard of here; default: nobody reads it.
	Logger *slog.Logger
	// Trace, if set, is called with every statement before it runs, without its
	// arguments. It may be called from many goroutines.
	Trace func(query string)
	// TraceTx, if set, is likewise called with the statements of transactions alone.
	TraceTx func(query string)
}

func bareNotification(task *errand.Task, _, _ string) string {
	return string(task.ID) + ", " + string(task.State) + ":\n\n" + task.Result + task.Error
}

// Open opens the database, and creates it if there is none. A database of an older or a
// newer errand is refused and not touched.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{limits: o.Limits, draw: o.NewTaskID, wording: o.Notification, ended: o.OnTaskEnd, agents: o.Agents}
	if s.draw == nil {
		s.draw = errand.NewTaskID
	}
	if s.wording == nil {
		s.wording = bareNotification
	}
	if s.ended == nil {
		s.ended = func(errand.TaskState) {}
	}
	var err error
	s.db, err = sqldb.Open(sqldb.Options{
		SQLite: o.SQLite, PostgreSQL: o.PostgreSQL, Full: o.Full, Now: o.Now, Local: o.Local,
		Name: "store", Program: "errand", Own: isOwn, Trace: o.Trace, TraceTx: o.TraceTx,
	})
	if err != nil {
		return nil, err
	}
	s.clock = s.db.Now
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.bus = s.newBus(cmp.Or(o.Logger, slog.New(slog.DiscardHandler)))
	return s, nil
}

func (s *Store) prepare(ctx context.Context) error {
	err := s.db.Prepare(ctx, newSchema(s.db.Postgres()))
	if errors.Is(err, sqldb.ErrOlder) {
		err = fmt.Errorf("%w: %s; the old one was not changed", err, s.emptyOne())
	}
	if err == nil {
		err = s.ensureID(ctx)
	}
	if err == nil && !s.db.Postgres() {
		err = s.releaseLeases(ctx)
	}
	if err == nil {
		_, err = s.serverNow(s.read(ctx)) // from now on both clocks are one
	}
	return err
}

// emptyOne says how errand is given an empty database.
func (s *Store) emptyOne() string {
	if s.db.Postgres() {
		return "give errand an empty database or schema (DATABASE_URL)"
	}
	return "start errand with an empty data folder (--data)"
}

// Now is the time by which rows are written and come due: on PostgreSQL that of its own
// clock, so that workers agree on it however their own clocks go.
func (s *Store) Now() time.Time { return s.clock() }

// newBus makes what passes events on: to all processes that have the store.
func (s *Store) newBus(logger *slog.Logger) events.Bus {
	if !s.db.Postgres() {
		return events.NewLocal()
	}
	// All schemas of a database hear each other: the store's id tells which is whose.
	channel := "errand_" + strings.ReplaceAll(s.id, "-", "")
	return events.NewShared(events.Options{Transport: s.db.Notices(channel), Longest: sqldb.MaxNotice, Logger: logger})
}

// isOwn reports whether err is one by which callers branch.
func isOwn(err error) bool {
	var budget *BudgetError
	var conflict *FileConflictError
	var edit *FileEditError
	var path *FilePathError
	for _, known := range []error{ErrNotFound, ErrAmbiguous, ErrClosed, ErrPaused, ErrTooLarge, ErrOpenTasks, ErrTooMany, ErrTooManyTasks, ErrLastAdmin, ErrNoSpace, errTooFast} {
		if errors.Is(err, known) {
			return true
		}
	}
	return errors.As(err, &budget) || errors.As(err, &conflict) || errors.As(err, &edit) || errors.As(err, &path)
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

// ensureID reads the id of the store; a new store draws one.
func (s *Store) ensureID(ctx context.Context) error {
	return s.write(ctx, "", func(t *tx) error {
		if _, err := t.Exec(`INSERT INTO meta (key, value) VALUES ('id', ?) ON CONFLICT DO NOTHING`, uuid.NewString()); err != nil {
			return err
		}
		_, err := t.Value(&s.id, `SELECT value FROM meta WHERE key = 'id'`)
		return err
	})
}

// Close ends all connections. Nothing may be called afterwards.
func (s *Store) Close() error {
	if bus, ok := s.bus.(*events.Shared); ok {
		bus.Close()
	}
	return s.db.Close()
}

// ID returns the UUID that was drawn when the store was made. Workflow inputs
// carry it, so that work begun on another store is recognised.
func (s *Store) ID() string { return s.id }

// Bus returns what passes the events of this store on.
func (s *Store) Bus() events.Bus { return s.bus }

// Ping checks that the store can be written to, and that no disk was full just now.
func (s *Store) Ping(ctx context.Context) error {
	if full := s.full.Load(); full != nil && time.Since(full.at) < fullFor {
		return full.err
	}
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
