//go:build !nodevserver

package devserver

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"go.temporal.io/server/common/headers"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	_ "modernc.org/sqlite" // registers the driver "sqlite", as the server does
)

// A maker is the server that created a database. It is a table of the file itself, so that it
// cannot be lost.
type maker struct {
	Server string // version of the server that last used the file: 1.32.1
	Schema string // fingerprint of the statements that created the file
}

// pageSize is a quarter of SQLite's default. Each workflow changes a few rows in each of 58
// indexes, so larger pages would almost double the bytes that are written.
const pageSize = "page_size(1024)"

const makerTable = `CREATE TABLE errand_made_by (server TEXT NOT NULL, schema TEXT NOT NULL)`

// openOrCreate creates a missing or empty file. If this server cannot use the file, it returns an
// [*IncompatibleError] and does not change the file.
func openOrCreate(ctx context.Context, path string) error {
	us, statements, err := thisServer()
	if err != nil {
		return err
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return create(ctx, path, us, statements)
	}
	if err != nil {
		return fmt.Errorf("open Temporal's database: %w", err)
	}
	them, err := inspect(ctx, path, info.Size())
	if err != nil {
		return err
	}
	if reason := us.cannotUse(them); reason != "" {
		return &IncompatibleError{Path: path, Reason: reason}
	}
	if us == them {
		return nil
	}
	return adopt(ctx, path, us)
}

func adopt(ctx context.Context, path string, us maker) error {
	db, err := openFile(path, "rw", "busy_timeout(5000)")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `UPDATE errand_made_by SET server = ?`, us.Server); err != nil {
		return fmt.Errorf("note who uses Temporal's database: %w", err)
	}
	return nil
}

// thisServer also returns the statements of the schema. The server can run them only on a database
// that it then keeps open forever, so they are recorded here and run later.
func thisServer() (maker, []string, error) {
	var r recorder
	if err := sqliteschema.SetupSchemaOnDB(&r); err != nil {
		return maker{}, nil, fmt.Errorf("read Temporal's schema: %w", err)
	}
	sum := sha256.Sum256([]byte(strings.Join(r.statements, "\n")))
	return maker{Server: headers.ServerVersion, Schema: hex.EncodeToString(sum[:8])}, r.statements, nil
}

type recorder struct {
	sqlplugin.AdminDB // nil: only Exec is used by SetupSchemaOnDB
	statements        []string
}

func (r *recorder) Exec(stmt string, _ ...any) error {
	r.statements = append(r.statements, stmt)
	return nil
}

// create renames the file only when it is complete: after a kill, the next start begins again.
func create(ctx context.Context, path string, us maker, statements []string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("make Temporal's database: %w", err)
		}
	}()
	// Leftovers of an earlier file would damage the new one.
	if _, err := Replace(filepath.Dir(path)); err != nil {
		return err
	}
	fresh := path + ".new"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	// Create the file here and not in SQLite, to set the permissions, which its -wal inherits.
	f, err := os.OpenFile(fresh, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	f.Close()
	statements = append(statements, makerTable)
	if err := fill(ctx, fresh, us, statements); err != nil {
		return err
	}
	return os.Rename(fresh, path)
}

func fill(ctx context.Context, path string, us maker, statements []string) error {
	db, err := openFile(path, "rw", pageSize, "journal_mode(memory)")
	if err != nil {
		return err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	for _, stmt := range statements {
		if _, err := tx.ExecContext(ctx, stmt); err != nil {
			return err
		}
	}
	if _, err := tx.ExecContext(ctx, `INSERT INTO errand_made_by VALUES (?, ?)`, us.Server, us.Schema); err != nil {
		return err
	}
	return tx.Commit()
}

// checkpoint moves the write-ahead log into the file, so that a stopped installation can be copied
// as one file. The server itself keeps the file open until the process ends.
func checkpoint(ctx context.Context, path string) error {
	db, err := openFile(path, "rw", "busy_timeout(1000)")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`); err != nil {
		return fmt.Errorf("checkpoint Temporal's database: %w", err)
	}
	return nil
}

func openFile(path, mode string, pragmas ...string) (*sql.DB, error) {
	q := url.Values{"mode": {mode}, "_pragma": pragmas}
	db, err := sql.Open("sqlite", "file:"+escapePath(path)+"?"+q.Encode())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

func escapePath(path string) string { return (&url.URL{Path: path}).EscapedPath() }
