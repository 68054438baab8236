package sqldb

import (
	"context"
	"database/sql"
	"net/url"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"modernc.org/sqlite" // driver "sqlite", too
)

const secureDelete = "secure_delete(1)"

// busyTimeout is how long a connection waits for another process's lock, in milliseconds.
const busyTimeout = "busy_timeout(5000)"

const sqliteReaders = 4

func (d *DB) openSQLite() error {
	path := d.opened.SQLite
	d.name = path
	if err := makePrivate(path); err != nil {
		return err
	}
	pragmas := []string{busyTimeout, "foreign_keys(1)", d.synchronous(), "temp_store(memory)", secureDelete}
	writer, err := sqlite.NewConnector(sqliteDSN(path, url.Values{"_txlock": {"immediate"}}, append(pragmas, "journal_mode(wal)")...))
	if err != nil {
		return err
	}
	d.writer = sql.OpenDB(Keep(writer, StatementOptions{}))
	// One connection: writers wait for it in turn, instead of polling a lock.
	d.writer.SetMaxOpenConns(1)
	readers, err := sqlite.NewConnector(sqliteDSN(path, nil, append(pragmas, "query_only(1)")...))
	if err != nil {
		return err
	}
	d.reader = sql.OpenDB(Keep(readers, StatementOptions{}))
	d.reader.SetMaxOpenConns(sqliteReaders)
	d.reader.SetMaxIdleConns(sqliteReaders)
	d.urgent = d.writer
	d.rows = bun.NewDB(d.reader, sqlitedialect.New())
	return nil
}

func (d *DB) synchronous() string {
	if d.opened.Full {
		return "synchronous(FULL)"
	}
	return "synchronous(NORMAL)"
}

func sqliteDSN(path string, q url.Values, pragmas ...string) string {
	if q == nil {
		q = url.Values{}
	}
	q["_pragma"] = pragmas
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String()
}

// TruncateLog moves SQLite's write-ahead log, which has earlier versions of pages, into the
// database file and empties it. It waits for readers for at most 200 ms, because writers wait
// meanwhile; after that it leaves the log to the next call.
func (d *DB) TruncateLog(ctx context.Context) error {
	if d.postgres {
		return nil
	}
	return d.Explain(d.checkpoint(ctx))
}

func (d *DB) checkpoint(ctx context.Context) error {
	conn, err := d.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, `PRAGMA busy_timeout(200)`); err != nil {
		return err
	}
	_, err = conn.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
	if _, again := conn.ExecContext(context.WithoutCancel(ctx), `PRAGMA `+busyTimeout); err == nil {
		err = again
	}
	return err
}
