package store

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// explain says what a database's error means for whoever runs errand. Errors
// that are ours pass unchanged.
func (s *Store) explain(err error) error {
	if err == nil {
		return nil
	}
	name := s.name
	if !s.postgres {
		name = filepath.Base(s.name)
	}
	if words := waited(err); words != "" {
		return fmt.Errorf("store: %s: %s: %w", name, words, err)
	}
	var e *sqlite.Error
	if !errors.As(err, &e) {
		if ours(err) {
			return err
		}
		return fmt.Errorf("store: %s: %w", name, err)
	}
	switch e.Code() & 0xff {
	case sqlite3.SQLITE_NOTADB:
		return fmt.Errorf("store: %s is not a SQLite database, or it is damaged: move it away or restore a backup: %w", name, err)
	case sqlite3.SQLITE_CORRUPT:
		return fmt.Errorf("store: %s is damaged: restore a backup: %w", name, err)
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		return fmt.Errorf("store: %s is locked by another process: %w", name, err)
	case sqlite3.SQLITE_FULL:
		return fmt.Errorf("store: %s cannot grow, the disk is full: %w", name, err)
	case sqlite3.SQLITE_READONLY:
		return fmt.Errorf("store: %s may not be written to: %w", name, err)
	case sqlite3.SQLITE_CANTOPEN:
		return fmt.Errorf("store: %s cannot be opened: %w", name, err)
	}
	return fmt.Errorf("store: %s: %w", name, err)
}

// waited says which of PostgreSQL's time limits ended a transaction; empty: none.
// Nothing of it was kept, and it is worth another attempt.
func waited(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return ""
	}
	switch e.Code {
	case "55P03": // lock_not_available
		return "somebody else holds what this needs for too long (lock_timeout): it is worth another attempt"
	case "25P03": // idle_in_transaction_session_timeout
		return "this process stood still in a transaction and PostgreSQL ended it: it is worth another attempt"
	case "57014": // query_canceled
		return "a statement took too long (statement_timeout): it is worth another attempt"
	}
	if e.Code == "08P01" && strings.Contains(e.Message, "startup parameter") {
		return "what is between refuses the time limits of a connection: list them in its ignore_startup_parameters (PgBouncer), and set them for the database's user"
	}
	return ""
}

// ours reports whether err was made by this package, for its callers.
func ours(err error) bool {
	var budget *BudgetError
	for _, known := range []error{ErrNotFound, ErrAmbiguous, ErrClosed, ErrPaused, ErrTooLarge, ErrOpenTasks, ErrTooMany, ErrLastAdmin} {
		if errors.Is(err, known) {
			return true
		}
	}
	return errors.As(err, &budget)
}
