package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"time"
)

// An Omission keeps rows or values out of a snapshot. Rows that refer to a left-out row must be left
// out too.
type Omission struct {
	Table string
	Where string // the rows; empty: none
	// Column is emptied in the other rows, unless it is empty itself.
	Column string
}

// statement applies the omission to a copy on SQLite.
func (o Omission) statement() string {
	if o.Column != "" {
		return fmt.Sprintf(`UPDATE %s SET %s = ''`, o.Table, o.Column)
	}
	return fmt.Sprintf(`DELETE FROM %s WHERE %s`, o.Table, o.Where)
}

// A Snapshot describes a consistent copy of a database.
type Snapshot struct {
	Schema  string           // the fingerprint of the schema that made it
	Version int              // the last migration that has run
	Left    map[string]int64 // numbers of rows that were left out, by table
	Made    time.Time        // by the database's clock
	Tables  []Table          // on PostgreSQL
}

// SnapshotSQLite writes a copy of the database file from into the new file to. Other processes may
// use the database meanwhile. SQLite overwrites what is left out with zeros.
func SnapshotSQLite(ctx context.Context, from, to string, leaveOut []Omission) (s Snapshot, err error) {
	s.Made = time.Now()
	if err := CopySQLite(ctx, from, to); err != nil {
		return s, err
	}
	db, err := sql.Open("sqlite", sqliteDSN(to, nil, "journal_mode(memory)", secureDelete))
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	s.Left = map[string]int64{}
	for _, o := range leaveOut {
		res, err := db.ExecContext(ctx, o.statement())
		if err != nil {
			return s, fmt.Errorf("leave %s out: %w", o.Table, err)
		}
		if n, err := res.RowsAffected(); err == nil && o.Column == "" && n > 0 {
			s.Left[o.Table] += n
		}
	}
	return s, db.QueryRowContext(ctx, `SELECT made_by, version FROM errand_schema`).Scan(&s.Schema, &s.Version)
}

// CopySQLite is [SnapshotSQLite] for a file of another component.
func CopySQLite(ctx context.Context, from, to string) error {
	db, err := sql.Open("sqlite", sqliteDSN(from, url.Values{"mode": {"ro"}}, busyTimeout))
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `VACUUM INTO ?`, to)
	if err = errors.Join(err, db.Close()); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return makePrivate(to)
}

// ID identifies the tables that s creates in a database of the given kind. newest is the number of
// its last migration.
func (s Schema) ID(postgres bool) (id string, newest int, err error) {
	migrations, err := s.migrations(postgres)
	return s.fingerprint(), len(migrations), err
}
