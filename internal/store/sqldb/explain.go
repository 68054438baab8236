package sqldb

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Explain adds what the operator needs to an error of the database: what it means, and which
// database it is about, without the password. It returns the caller's own errors unchanged. The
// methods of this package return explained errors.
func (d *DB) Explain(err error) error {
	if err == nil {
		return nil
	}
	name := d.name
	if !d.postgres {
		name = filepath.Base(d.name)
	}
	name = d.opened.Name + ": " + name
	if words := ofPostgreSQL(err); words != "" {
		return fmt.Errorf("%s: %s: %w", name, words, err)
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		if d.opened.Own != nil && d.opened.Own(err) {
			return err
		}
		return fmt.Errorf("%s: %w", name, err)
	}
	if IsFull(e) {
		return fmt.Errorf("%s cannot grow, the disk is full: %w", name, err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("%s is not a SQLite database, or it is damaged: move it away or restore a backup: %w", name, err)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("%s is damaged: restore a backup: %w", name, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("%s is locked by another process: %w", name, err)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("%s may not be written to: %w", name, err)
	case sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("%s cannot be opened: %w", name, err)
	}
	return fmt.Errorf("%s: %w", name, err)
}

// IsAway reports whether the database cannot be reached or accepts no writes now: the same
// transaction may succeed later.
func IsAway(err error) bool {
	var pg *pgconn.PgError
	var lite *sqlite.Error
	var network net.Error
	switch {
	case err == nil:
		return false
	case errors.As(err, &pg):
		// Classes: connection, resources, operator, system. Codes: a standby, and errors that
		// ofPostgreSQL calls worth another attempt.
		return slices.Contains([]string{"08", "53", "57", "58"}, pg.Code[:min(2, len(pg.Code))]) ||
			slices.Contains([]string{"25006", "25P03", "55P03", "40001", "40P01"}, pg.Code)
	case errors.As(err, &lite):
		return slices.Contains([]int{sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN}, lite.Code()&0xff)
	}
	return errors.As(err, &network) || errors.Is(err, errContended) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, net.ErrClosed) || errors.Is(err, driver.ErrBadConn) || errors.As(err, new(*pgconn.ConnectError)) || pgconn.SafeToRetry(err)
}

// IsFull reports whether err means that the database's disk is full.
func IsFull(err error) bool {
	var pg *pgconn.PgError
	var lite *sqlite.Error
	// If the disk is full, SQLite may fail earlier, when it sets the size of the log's index file.
	return errors.As(err, &pg) && pg.Code == "53100" ||
		errors.As(err, &lite) && (lite.Code()&0xff == sqlite3.SQLITE_FULL || lite.Code() == sqlite3.SQLITE_IOERR_SHMSIZE)
}

// ofPostgreSQL explains an error to the operator; empty: the error's own text is enough. The
// transaction was rolled back; the caller may repeat it.
func ofPostgreSQL(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		if errors.As(err, new(*pgconn.ConnectError)) {
			return "it cannot be reached; once it is back, what waits goes on by itself"
		}
		return ""
	}
	switch e.Code {
	case "55P03": // lock_not_available
		return "somebody else holds what this needs for too long (lock_timeout): it is worth another attempt"
	case "25P03": // idle_in_transaction_session_timeout
		return "this process stood still in a transaction and PostgreSQL ended it: it is worth another attempt"
	case "57014": // query_canceled
		return "a statement took too long (statement_timeout): it is worth another attempt"
	case "53300": // too_many_connections, of the server or of a role or database
		return "it takes no more connections: raise max_connections, or end what has them (SELECT * FROM pg_stat_activity)"
	case "53100": // disk_full
		return "its disk is full: make room, what waits goes on by itself"
	case "57P01", "57P02": // admin_shutdown, crash_shutdown
		return "it was stopped, or ended this connection: what was under way is tried again"
	case "57P03": // cannot_connect_now
		return "it is starting or stopping: it is tried again"
	}
	if e.Code == "08P01" && strings.Contains(e.Message, "startup parameter") {
		return "what is between refuses the time limits of a connection: list them in its ignore_startup_parameters (PgBouncer), and set them for the database's user"
	}
	return ""
}
