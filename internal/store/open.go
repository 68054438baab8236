// Package store is errand's own database: messages, transcripts, tasks with their outcomes,
// deliveries, budgets, people and notes. Workflows carry only ids.
//
// Every write that matters is one transaction, and unique keys make it happen once. That, not the
// state of a workflow, holds over retries, restarts and Temporal's retention. SQLite and PostgreSQL
// keep the same promises; package storetest checks both.
//
// A step has two transactions. [Store.BeginStep] (T1) claims rows of the inbox, takes results,
// decides their way and reserves the budget. [Store.CommitStep] (T2) writes the answer, the tasks
// that it requests and the settled budget. With a final answer it also writes the outbox row, the
// event and the end of the turn. If the step has an outcome already, T1 returns it and T2 keeps it.
// Both refuse if the turn, the session or a task above was closed; T2 still records the cost.
//
// Budgets are rows: one for the tree of a turn, and one per person and UTC day. The end of a task
// releases what is left of its reservations.
package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"errand/internal/core"
	"errand/internal/events"
	"errand/internal/store/sqldb"
)

// A Store is an open database of errand. It is safe for concurrent use.
type Store struct {
	id       string
	first    string // the id of the installation, which a restoration keeps
	restored int64  // see restoredKey
	db       *sqldb.DB
	bus      events.Bus
	limits   Limits
	clock    func() time.Time
	draw     func() core.TaskID
	wording  func(*core.Task, string, string) string // see Options.Notification
	ended    func(core.TaskState)                    // see Options.OnTaskEnd
	agents   map[core.Role][]core.AgentName
	full     atomic.Pointer[fullDisk] // the last write that failed because the disk was full
	worker   atomic.Pointer[string]   // see workerOf
}

type fullDisk struct {
	err error
	at  time.Time
}

// fullFor is how long the store counts as full after such a write. A later small write may succeed
// although a larger one would fail. Each worker renews its registration more often than that.
const fullFor = 15 * time.Second

// Options configure [Open]. Exactly one of SQLite and PostgreSQL is set.
type Options struct {
	SQLite     string // path of the database file
	PostgreSQL string // a URL, postgres://…
	Full       bool   // SQLite: synchronous=FULL; a power cut then loses no commit
	Limits     Limits
	Now        func() time.Time // the clock, also on PostgreSQL; default: see [Store.Now]
	// Local is the clock of this machine; default time.Now.
	Local func() time.Time
	// NewTaskID draws the id of a task; default core.NewTaskID.
	NewTaskID func() core.TaskID
	// Notification renders the notification of a task's outcome in a language (BCP 47; empty:
	// unknown) and in the time zone of its person (IANA; empty: the installation's). No
	// transaction waits for it: a transaction that needs the text is rolled back, and repeated
	// when the text is there. Default: the id, the state and the outcome.
	Notification func(task *core.Task, language, zone string) string
	// Agents are the agents that each role may send on a task. A task that follows a decision
	// is checked against them. nil: any agent.
	Agents map[core.Role][]core.AgentName
	// OnTaskEnd, if set, is called with the state of each task that ends, after the commit. It
	// may be called concurrently.
	OnTaskEnd func(core.TaskState)
	// Migrations, if set, replaces those of this program: see [sqldb.Schema]. It is for tests.
	Migrations fs.FS
	// Logger logs problems in sending events to other processes or receiving theirs; default:
	// no log.
	Logger *slog.Logger
	// Trace, if set, is called with every statement, without its arguments, before it runs. It
	// may be called concurrently.
	Trace func(query string)
	// TraceTx, if set, is called in the same way, but only for statements in transactions.
	TraceTx func(query string)
}

func bareNotification(task *core.Task, _, _ string) string {
	return string(task.ID) + ", " + string(task.State) + ":\n\n" + task.Result + task.Error
}

// Open opens the database, and creates it if it does not exist. It refuses a database of an
// older or newer errand without changing it.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{limits: o.Limits, draw: o.NewTaskID, wording: o.Notification, ended: o.OnTaskEnd, agents: o.Agents}
	if s.draw == nil {
		s.draw = core.NewTaskID
	}
	if s.wording == nil {
		s.wording = bareNotification
	}
	if s.ended == nil {
		s.ended = func(core.TaskState) {}
	}
	var err error
	s.db, err = sqldb.Open(sqldb.Options{
		SQLite: o.SQLite, PostgreSQL: o.PostgreSQL, Full: o.Full, Now: o.Now, Local: o.Local,
		Name: "store", Own: isOwn, Trace: o.Trace, TraceTx: o.TraceTx,
	})
	if err != nil {
		return nil, err
	}
	s.clock = s.db.Now
	if err := s.prepare(ctx, o.Migrations); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.bus = newBus(s.db, s.id, cmp.Or(o.Logger, slog.New(slog.DiscardHandler)))
	return s, nil
}

func (s *Store) prepare(ctx context.Context, migrations fs.FS) error {
	schema := newSchema(s.db.Postgres())
	if migrations != nil {
		schema.Migrations = migrations
	}
	err := s.db.Prepare(ctx, schema)
	switch {
	case errors.Is(err, sqldb.ErrOlder):
		err = fmt.Errorf("%w: %s; the old one was not changed", err, emptyOne(s.db.Postgres()))
	case errors.Is(err, sqldb.ErrNewer):
		err = fmt.Errorf("%w: install the newer errand again, or restore a backup from before the upgrade into an empty place; nothing was changed", err)
	}
	if err == nil {
		err = s.write(ctx, "", (*tx).ensureID)
	}
	if err == nil && !s.db.Postgres() {
		err = s.write(ctx, "", (*tx).releaseLeases)
	}
	if err == nil {
		_, err = s.serverNow(s.read(ctx)) // from now on s.Now follows the server's clock
	}
	return err
}

func emptyOne(postgres bool) string {
	if postgres {
		return "give errand an empty database or schema (DATABASE_URL)"
	}
	return "start errand with an empty data folder (--data)"
}

// Now returns the time of the store. On PostgreSQL it follows the database's clock, so that
// workers with different clocks agree.
func (s *Store) Now() time.Time { return s.clock() }

func newBus(db *sqldb.DB, id string, logger *slog.Logger) events.Bus {
	if !db.Postgres() {
		return events.NewLocal()
	}
	// Every schema of a database gets its notices; the store's id separates them.
	channel := "errand_" + strings.ReplaceAll(id, "-", "")
	return events.NewShared(events.Options{Transport: db.Notices(channel), Longest: sqldb.MaxNotice, Logger: logger})
}

// isOwn reports whether callers branch on err.
func isOwn(err error) bool {
	var budget *BudgetError
	var conflict *FileConflictError
	var edit *FileEditError
	var path *FilePathError
	for _, known := range []error{ErrNotFound, ErrAmbiguous, ErrClosed, ErrTaken, ErrPaused, ErrTooLarge, ErrOpenTasks, ErrTooMany, ErrTooManyTasks, ErrLastAdmin, ErrNoSpace, errTooFast} {
		if errors.Is(err, known) {
			return true
		}
	}
	return errors.As(err, &budget) || errors.As(err, &conflict) || errors.As(err, &edit) || errors.As(err, &path)
}

// releaseLeases ends the leases of the previous process. Only one process uses a SQLite file.
func (t *tx) releaseLeases() error {
	for _, query := range []string{
		`UPDATE outbox SET sending_until = 0 WHERE state = 'sending'`,
		`UPDATE connections SET ` + unheld + `, since = 0`,
	} {
		if _, err := t.Exec(query); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) ensureID() error {
	if _, err := t.Exec(`INSERT INTO meta (key, value) VALUES ('id', ?) ON CONFLICT DO NOTHING`, uuid.NewString()); err != nil {
		return err
	}
	if _, err := t.Value(&t.s.id, `SELECT value FROM meta WHERE key = 'id'`); err != nil {
		return err
	}
	t.s.first = t.s.id
	if _, err := t.Value(&t.s.first, `SELECT value FROM meta WHERE key = '`+installationKey+`'`); err != nil {
		return err
	}
	return t.readRestored()
}

// Close closes all connections. No method may be called afterwards.
func (s *Store) Close() error {
	if bus, ok := s.bus.(*events.Shared); ok {
		bus.Close()
	}
	return s.db.Close()
}

// ID returns the UUID that was made with the store. Workflow inputs carry it, so that work of
// another store is recognized.
func (s *Store) ID() string { return s.id }

// InstallationOf returns the first [Store.ID] of s: a restored store has another id, and is the same
// installation for browsers.
func InstallationOf(s *Store) string { return s.first }

// Bus returns the bus that distributes the store's events.
func (s *Store) Bus() events.Bus { return s.bus }

// Ping checks that the store accepts writes. It fails if the disk was full recently.
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

// Extra opens a database for data that does not belong to the store: see [sqldb.DB.Extra].
func (s *Store) Extra(ctx context.Context, file string) (db *sql.DB, postgres bool, err error) {
	return s.db.Extra(ctx, file)
}
