package sqldb

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
)

const extraConns = 4

// Extra opens a database for another component: a private file with this name beside the SQLite
// database, or the same PostgreSQL database. Closing d closes it too.
func (d *DB) Extra(ctx context.Context, file string) (db *sql.DB, postgres bool, err error) {
	if d.postgres {
		db, err = d.extraPostgreSQL()
	} else {
		db, err = d.extraFile(filepath.Join(filepath.Dir(d.opened.SQLite), file))
	}
	if err != nil {
		return nil, false, d.Explain(err)
	}
	db.SetMaxOpenConns(extraConns)
	db.SetMaxIdleConns(extraConns)
	if err := db.PingContext(ctx); err != nil {
		return nil, false, errors.Join(fmt.Errorf("open %s beside the %s: %w", file, d.opened.Name, d.Explain(err)), db.Close())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.extras = append(d.extras, db)
	return db, d.postgres, nil
}

func (d *DB) extraFile(path string) (*sql.DB, error) {
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	// Immediate, because a transaction that reads before it writes would fail if another one
	// wrote in between.
	return sql.Open("sqlite", sqliteDSN(path, url.Values{"_txlock": {"immediate"}},
		"busy_timeout(10000)", "foreign_keys(1)", "journal_mode(wal)", d.synchronous(), secureDelete))
}
