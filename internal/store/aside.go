package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
)

// asideConns is how many can use a database beside the store's at once.
const asideConns = 4

// Aside opens a database for what others keep, and not the store: a file of this
// name beside the store's own that only its owner can read, or on PostgreSQL the
// same database, where their tables are beside ours. It is open until the store
// is closed.
func (s *Store) Aside(ctx context.Context, file string) (db *sql.DB, postgres bool, err error) {
	if s.postgres {
		db, err = s.asidePostgreSQL()
	} else {
		db, err = s.asideFile(filepath.Join(filepath.Dir(s.opened.SQLite), file))
	}
	if err != nil {
		return nil, false, s.explain(err)
	}
	db.SetMaxOpenConns(asideConns)
	db.SetMaxIdleConns(asideConns)
	if err := db.PingContext(ctx); err != nil {
		return nil, false, errors.Join(fmt.Errorf("open %s beside the store: %w", file, s.explain(err)), db.Close())
	}
	s.aside = append(s.aside, db)
	return db, s.postgres, nil
}

func (s *Store) asideFile(path string) (*sql.DB, error) {
	if err := makePrivate(path); err != nil {
		return nil, err
	}
	sync := "NORMAL"
	if s.opened.Full {
		sync = "FULL"
	}
	// Immediate: a transaction that reads first and then writes would fail when
	// another has written in between.
	q := url.Values{"_pragma": {"busy_timeout(10000)", "foreign_keys(1)", "journal_mode(wal)", "synchronous(" + sync + ")", secureDelete}, "_txlock": {"immediate"}}
	return sql.Open("sqlite", (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String())
}
