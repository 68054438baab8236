package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"modernc.org/sqlite"
)

type counting struct {
	driver.Connector
	prepared, texts *atomic.Int64
}

type countingConn struct {
	driver.Conn
	of counting
}

func (c counting) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	return countingConn{conn, c}, err
}

func (c countingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	c.of.prepared.Add(1)
	return c.Conn.(driver.ConnPrepareContext).PrepareContext(ctx, query)
}

func (c countingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	c.of.texts.Add(1)
	return c.Conn.(driver.ExecerContext).ExecContext(ctx, query, args)
}

func (c countingConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	c.of.texts.Add(1)
	return c.Conn.(driver.QueryerContext).QueryContext(ctx, query, args)
}

func (c countingConn) BeginTx(ctx context.Context, o driver.TxOptions) (driver.Tx, error) {
	return c.Conn.(driver.ConnBeginTx).BeginTx(ctx, o)
}
func (c countingConn) Ping(ctx context.Context) error { return c.Conn.(driver.Pinger).Ping(ctx) }
func (c countingConn) ResetSession(ctx context.Context) error {
	return c.Conn.(driver.SessionResetter).ResetSession(ctx)
}
func (c countingConn) IsValid() bool { return c.Conn.(driver.Validator).IsValid() }

func keeping(t *testing.T) (db *sql.DB, prepared, texts *atomic.Int64) {
	t.Helper()
	c, err := sqlite.NewConnector("file:" + filepath.Join(t.TempDir(), "kept.db"))
	if err != nil {
		t.Fatal(err)
	}
	prepared, texts = new(atomic.Int64), new(atomic.Int64)
	db = sql.OpenDB(Keep(counting{c, prepared, texts}, StatementOptions{Short: true}))
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	if _, err := db.Exec(`CREATE TABLE t (n INTEGER PRIMARY KEY, word TEXT)`); err != nil {
		t.Fatal(err)
	}
	texts.Store(0)
	return db, prepared, texts
}

// TestStatementsAreKept proves that a statement is parsed once however often it runs,
// in and out of transactions, after one that failed and after its table has changed,
// and that each run has its own arguments and result.
func TestStatementsAreKept(t *testing.T) {
	db, prepared, texts := keeping(t)
	const insert, word = `INSERT INTO t (n, word) VALUES (?, ?)`, `SELECT word FROM t WHERE n = ?`
	for n := range 10 {
		tx, err := db.Begin()
		if err != nil {
			t.Fatal(err)
		}
		done, err := tx.Exec(insert, n, fmt.Sprint("w", n))
		if err != nil {
			t.Fatal(err)
		}
		if rows, err := done.RowsAffected(); rows != 1 || err != nil {
			t.Error(rows, err)
		}
		if _, err := tx.Exec(insert, n, "again"); err == nil {
			t.Error("a row is there twice")
		}
		if err := tx.Commit(); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := db.QueryRow(word, n).Scan(&got); err != nil || got != fmt.Sprint("w", n) {
			t.Errorf("row %d has %q, %v", n, got, err)
		}
		if err := db.QueryRow(word, n+100).Scan(&got); !errors.Is(err, sql.ErrNoRows) {
			t.Errorf("a row that is not there: %q, %v", got, err)
		}
	}
	const all = `SELECT * FROM t WHERE n = ?`
	var n int
	var w, more string
	if err := db.QueryRow(all, 3).Scan(&n, &w); err != nil || w != "w3" {
		t.Errorf("before a change of the table: %d, %q, %v", n, w, err)
	}
	if prepared.Load() != 3 || texts.Load() != 0 {
		t.Errorf("%d statements were prepared and %d run as text, want 3 and 0", prepared.Load(), texts.Load())
	}
	if _, err := db.Exec(`ALTER TABLE t ADD COLUMN more TEXT DEFAULT 'm'`); err != nil {
		t.Fatal(err)
	}
	if err := db.QueryRow(all, 3).Scan(&n, &w, &more); err != nil || more != "m" {
		t.Errorf("after a change of the table: %d, %q, %q, %v", n, w, more, err)
	}
	if prepared.Load() != 3 {
		t.Errorf("%d statements were prepared, want 3: a change of the table takes none away", prepared.Load())
	}
}

// TestStatementInUse proves that a statement whose rows are being read can be run once
// more meanwhile, and that reading goes on.
func TestStatementInUse(t *testing.T) {
	db, _, _ := keeping(t)
	if _, err := db.Exec(`INSERT INTO t (n) VALUES (1), (2), (3)`); err != nil {
		t.Fatal(err)
	}
	tx, err := db.Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback()
	read := func(each func(int)) {
		rows, err := tx.Query(`SELECT n FROM t WHERE n > ? ORDER BY n`, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		for rows.Next() {
			var n int
			if err := rows.Scan(&n); err != nil {
				t.Fatal(err)
			}
			each(n)
		}
		if err := rows.Err(); err != nil {
			t.Fatal(err)
		}
	}
	var outer, inner []int
	read(func(n int) {
		outer = append(outer, n)
		read(func(n int) { inner = append(inner, n) })
	})
	if want := []int{1, 2, 3}; !slices.Equal(outer, want) || len(inner) != 9 {
		t.Errorf("read %v, and meanwhile %v", outer, inner)
	}
}

// TestStatementsAreBounded proves that a connection keeps a bounded number of
// statements, those that were used last.
func TestStatementsAreBounded(t *testing.T) {
	db, prepared, _ := keeping(t)
	run := func(i int) {
		t.Helper()
		var got int
		if err := db.QueryRow(fmt.Sprintf(`SELECT %d`, i)).Scan(&got); err != nil || got != i {
			t.Fatal(got, err)
		}
	}
	for i := range 2 * maxStatements {
		run(i)
		run(0) // always in use
	}
	if got := prepared.Load(); got != 2*maxStatements {
		t.Errorf("%d statements were prepared, want %d", got, 2*maxStatements)
	}
	conn, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	err = conn.Raw(func(c any) error {
		if n := len(c.(*keepingConn).kept); n != maxStatements {
			t.Errorf("%d statements are kept, want %d", n, maxStatements)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLongListsAreNotKept proves that a statement with many ids in its text runs, and is
// not kept: it would not be asked for again, and takes a hundred times what others do.
func TestLongListsAreNotKept(t *testing.T) {
	db, prepared, texts := keeping(t)
	list := "SELECT count(*) FROM t WHERE word IN ('" + strings.Repeat("session/web/-/main/-/ada', '", longestKept/20) + "')"
	for range 2 {
		var n int
		if err := db.QueryRow(list).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	if prepared.Load() != 0 || texts.Load() != 2 {
		t.Errorf("%d statements were prepared to be kept and %d run as text, want 0 and 2", prepared.Load(), texts.Load())
	}
}
