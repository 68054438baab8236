package sqldb

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"strings"
)

// A Schema defines the tables of a database.
type Schema struct {
	Create string // creates the tables in an empty database; it never changes after its release
	// Migrations has the changes since the release of Create, for each database:
	// migrations/sqlite/00001_name.sql, migrations/postgres/00001_name.sql, 00002 and so on. It
	// may be empty.
	Migrations fs.FS
	// Skip is how many of the newest migrations Prepare leaves to a later call.
	Skip int
}

var comments = regexp.MustCompile(`--[^\n]*`)

func (s Schema) fingerprint() string {
	sum := sha256.Sum256([]byte(strings.Join(strings.Fields(comments.ReplaceAllString(s.Create, "")), " ")))
	return hex.EncodeToString(sum[:8])
}

// migrations returns the names of the migrations that are to run, the oldest first.
func (s Schema) migrations(postgres bool) ([]string, error) {
	files := "migrations/sqlite/*.sql"
	if postgres {
		files = "migrations/postgres/*.sql"
	}
	names, err := fs.Glob(s.Migrations, files)
	return names[:max(0, len(names)-s.Skip)], err
}

// ErrOlder refuses a database that another Create has made.
var ErrOlder = errors.New("an older version made it, and this program cannot read it")

// ErrNewer refuses a database with migrations that this program does not know.
var ErrNewer = errors.New("a newer version made it")

const noTables = -1

// Prepare creates the tables of an empty database, and runs missing migrations. The table
// errand_schema has the number of the last migration (0 after Create alone) and the fingerprint
// of Create. Everything is one transaction, so a killed process leaves the database as it was.
// Several processes may call Prepare at the same time. It refuses a database that is older than
// Create ([ErrOlder]) or newer than the migrations ([ErrNewer]), and only reads it: a SQLite file stays
// identical, byte for byte.
func (d *DB) Prepare(ctx context.Context, s Schema) error { return d.Explain(d.applySchema(ctx, s)) }

func (d *DB) applySchema(ctx context.Context, s Schema) error {
	migrations, err := s.migrations(d.postgres)
	if err != nil {
		return err
	}
	if have, err := d.inspect(ctx, s, len(migrations)); err != nil || have == len(migrations) {
		return err
	}
	db, done, err := d.schemaDB()
	if err != nil {
		return err
	}
	return errors.Join(d.changeSchema(ctx, db, s, migrations), done())
}

// inspect uses a read-only connection on SQLite. A connection that can write would set the
// journal mode when it opens the file, and move a killed process's write-ahead log into it when
// it closes it.
func (d *DB) inspect(ctx context.Context, s Schema, newest int) (int, error) {
	if d.postgres {
		return d.version(ctx, d.reader, s, newest)
	}
	db, err := sql.Open("sqlite", sqliteDSN(d.opened.SQLite, url.Values{"mode": {"ro"}}, busyTimeout))
	if err != nil {
		return 0, err
	}
	have, err := d.version(ctx, db, s, newest)
	return have, errors.Join(err, db.Close())
}

func (d *DB) changeSchema(ctx context.Context, db *sql.DB, s Schema, migrations []string) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // does nothing after a commit
	run := func(what, query string) error {
		d.opened.Trace(query)
		if _, err := tx.ExecContext(ctx, query); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		return nil
	}
	if d.postgres {
		if err := run("lock the schema", lockSchema); err != nil {
			return err
		}
	}
	have, err := d.version(ctx, tx, s, len(migrations)) // another process may have been first
	if err != nil {
		return err
	}
	if have == noTables {
		have = 0
		create := fmt.Sprintf(`%s; CREATE TABLE errand_schema (version BIGINT NOT NULL, made_by TEXT NOT NULL);
			INSERT INTO errand_schema (version, made_by) VALUES (0, '%s')`, s.Create, s.fingerprint())
		if err := run("create the tables", create); err != nil {
			return err
		}
	}
	for ; have < len(migrations); have++ {
		name := migrations[have]
		if !strings.HasPrefix(path.Base(name), fmt.Sprintf("%05d_", have+1)) {
			return fmt.Errorf("migration %s: its number must be %05d", name, have+1)
		}
		text, err := fs.ReadFile(s.Migrations, name)
		if err != nil {
			return err
		}
		if err := run("migration "+name, string(text)); err != nil {
			return err
		}
	}
	if err := run("note the version", fmt.Sprintf(`UPDATE errand_schema SET version = %d`, have)); err != nil {
		return err
	}
	return tx.Commit()
}

// version returns [noTables] for a database without tables, and fails for a version above newest.
func (d *DB) version(ctx context.Context, q interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, s Schema, newest int) (have int, err error) {
	tables := `SELECT name FROM sqlite_master`
	if d.postgres {
		tables = `SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`
	}
	var older, ours int
	err = q.QueryRowContext(ctx, `SELECT COUNT(CASE name WHEN 'goose_db_version' THEN 1 END), COUNT(CASE name WHEN 'errand_schema' THEN 1 END)
		FROM (`+tables+`) tables`).Scan(&older, &ours)
	switch {
	case err != nil:
		return 0, err
	case older > 0:
		return 0, ErrOlder
	case ours == 0:
		return noTables, nil
	}
	var madeBy string
	if err := q.QueryRowContext(ctx, `SELECT version, made_by FROM errand_schema`).Scan(&have, &madeBy); err != nil {
		return 0, err
	}
	if madeBy != s.fingerprint() {
		return 0, ErrOlder
	}
	if have > newest {
		return 0, fmt.Errorf("%w, with schema %d, and this program knows schema %d", ErrNewer, have, newest)
	}
	return have, nil
}
