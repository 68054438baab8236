// Package store is the only place that keeps words: what people wrote, what
// agents answered, tasks with their outcomes, what is to be told and whether it
// was, budgets, people and memory. Workflows carry ids only.
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
	"fmt"
	"io/fs"
	"net/url"
	"time"

	"github.com/google/uuid"
	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	_ "modernc.org/sqlite" // driver "sqlite"

	"errand"
)

//go:embed migrations
var migrations embed.FS

// A Store keeps the words. Its methods may be called from many goroutines.
type Store struct {
	id       string
	name     string // of the database, for errors
	postgres bool
	writer   *sql.DB
	reader   *sql.DB
	vital    *sql.DB // leases, readiness and stops: they do not wait for the rest; the same as writer on SQLite
	db       *bun.DB // scans rows; belongs to reader
	writes   statements
	hub      *Hub
	limits   Limits
	clock    func() time.Time
	ownClock bool // on PostgreSQL: clock was given by Options and counts, not the database's
	draw     func() errand.TaskID
	wording  func(*errand.Task, string) string // see Options.Notification
	opened   Options
	aside    []*sql.DB // see Aside

	conversations conversations // on PostgreSQL
	stops         chan struct{} // places of those that wait for conversations in vital
}

// Open opens the database, makes it if there is none, and brings its schema up
// to date. A database of a newer errand is refused and not touched.
func Open(ctx context.Context, o Options) (*Store, error) {
	s := &Store{hub: NewHub(), limits: o.Limits, clock: o.Now, draw: o.NewTaskID, wording: o.Notification, opened: o}
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
	switch {
	case (o.SQLite == "") == (o.PostgreSQL == ""):
		return nil, errors.New("store: exactly one of SQLite and PostgreSQL must be set")
	case o.SQLite != "":
		err = s.connectSQLite(o)
	default:
		err = s.connectPostgreSQL(o)
	}
	if err == nil {
		err = s.migrate(ctx)
	}
	if err == nil {
		err = s.identify(ctx)
	}
	if err == nil {
		err = s.foldNames(ctx)
	}
	if err == nil && !s.postgres {
		err = s.disown(ctx)
	}
	if err != nil {
		return nil, errors.Join(s.explain(err), s.Close())
	}
	return s, nil
}

// disown ends the leases of the process before. The file is this process's alone:
// whoever was sending, or held a connection, is gone, and nobody comes back for it.
func (s *Store) disown(ctx context.Context) error {
	for _, query := range []string{
		`UPDATE outbox SET sending_until = 0 WHERE state = 'sending'`,
		`UPDATE connections SET ` + forsaken + `, since = 0`,
	} {
		if _, err := s.writer.ExecContext(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

// secureDelete has SQLite overwrite what is deleted: it would stay in the file
// until something else takes its place.
const secureDelete = "secure_delete(1)"

// sqliteReaders is how many can read at the same time.
const sqliteReaders = 4

func (s *Store) connectSQLite(o Options) error {
	s.name = o.SQLite
	if err := makePrivate(o.SQLite); err != nil {
		return err
	}
	sync := "NORMAL"
	if o.Full {
		sync = "FULL"
	}
	dsn := func(more url.Values) string {
		q := url.Values{"_pragma": {"busy_timeout(5000)", "foreign_keys(1)", "synchronous(" + sync + ")", "temp_store(memory)", secureDelete}}
		for k, v := range more {
			q[k] = append(q[k], v...)
		}
		return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: o.SQLite}).EscapedPath(), RawQuery: q.Encode()}).String()
	}
	var err error
	s.writer, err = sql.Open("sqlite", dsn(url.Values{"_pragma": {"journal_mode(wal)"}, "_txlock": {"immediate"}}))
	if err != nil {
		return err
	}
	// One connection: writers wait for each other here, in turn, and not by
	// polling a lock. It stays open, and with it its prepared statements.
	s.writer.SetMaxOpenConns(1)
	s.reader, err = sql.Open("sqlite", dsn(url.Values{"_pragma": {"query_only(1)"}}))
	if err != nil {
		return err
	}
	s.reader.SetMaxOpenConns(sqliteReaders)
	s.reader.SetMaxIdleConns(sqliteReaders)
	s.vital = s.writer
	s.db = bun.NewDB(s.reader, sqlitedialect.New())
	s.writes = statements{db: s.writer, known: map[string]*sql.Stmt{}}
	return nil
}

func (s *Store) migrate(ctx context.Context) (err error) {
	db, done, err := s.schemaDB()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	dialect, folder := goose.DialectSQLite3, "migrations/sqlite"
	var opts []goose.ProviderOption
	if s.postgres {
		dialect, folder = goose.DialectPostgres, "migrations/postgres"
		// Several workers may start at the same moment.
		locker, err := lock.NewPostgresSessionLocker()
		if err != nil {
			return err
		}
		opts = append(opts, goose.WithSessionLocker(locker))
	}
	files, err := fs.Sub(migrations, folder)
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(dialect, db, files, append(opts, goose.WithVerbose(false))...)
	if err != nil {
		return err
	}
	have, want, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if have > want {
		return fmt.Errorf("its schema is version %d and this program knows %d: it was made by a newer errand", have, want)
	}
	if have == want {
		return nil
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	return nil
}

// identify reads the id of the store; a new store draws one.
func (s *Store) identify(ctx context.Context) error {
	return s.write(ctx, "", func(t *tx) error {
		if _, err := t.exec(`INSERT INTO meta (key, value) VALUES ('id', ?) ON CONFLICT DO NOTHING`, uuid.NewString()); err != nil {
			return err
		}
		_, err := t.value(&s.id, `SELECT value FROM meta WHERE key = 'id'`)
		return err
	})
}

// Close ends all connections. Nothing may be called afterwards.
func (s *Store) Close() error {
	var errs []error
	for _, db := range s.aside {
		errs = append(errs, db.Close())
	}
	if s.vital != nil && s.vital != s.writer {
		errs = append(errs, s.vital.Close())
	}
	if s.reader != nil {
		errs = append(errs, s.reader.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close()) // its statements too
	}
	return errors.Join(errs...)
}

// ID returns the UUID that was drawn when the store was made. Workflow inputs
// carry it, so that work begun on another store is recognised.
func (s *Store) ID() string { return s.id }

// Hub returns what publishes this process's events.
func (s *Store) Hub() *Hub { return s.hub }

// Ping checks that the store can be written to.
func (s *Store) Ping(ctx context.Context) error {
	if s.postgres {
		return s.pingPostgreSQL(ctx)
	}
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.exec(`UPDATE meta SET value = value WHERE key = 'id'`)
		return err
	})
}
