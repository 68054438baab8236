package sqldb_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/store/sqldb"
)

var schema = sqldb.Schema{Create: `CREATE TABLE things (id BIGINT PRIMARY KEY, name TEXT NOT NULL);`, Migrations: fstest.MapFS{}}

var errOwn = errors.New("the caller's own")

func open(t *testing.T, o sqldb.Options) *sqldb.DB {
	t.Helper()
	o.Name, o.Own = "test", func(err error) bool { return errors.Is(err, errOwn) }
	d, err := sqldb.Open(o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	require.NoError(t, d.Prepare(t.Context(), schema))
	return d
}

func TestSQLite(t *testing.T) {
	suite(t, func(t *testing.T) *sqldb.DB {
		return open(t, sqldb.Options{SQLite: filepath.Join(t.TempDir(), "main.db")})
	})
}

type thing struct {
	ID   int64
	Name string
}

func add(t *sqldb.Tx, id int64, name string) error {
	_, err := t.Exec(`INSERT INTO things (id, name) VALUES (?, ?)`, id, name)
	return err
}

// suite holds a database to what the package promises of both.
func suite(t *testing.T, open func(*testing.T) *sqldb.DB) {
	t.Run("a transaction is kept as a whole or not at all", func(t *testing.T) {
		d := open(t)
		for range 3 { // by prepared statements, too
			err := d.Write(t.Context(), "k", func(tx *sqldb.Tx) error {
				return errors.Join(add(tx, 1, "one"), errOwn)
			})
			require.ErrorIs(t, err, errOwn)
		}
		require.Equal(t, errOwn, d.Write(t.Context(), "k", func(*sqldb.Tx) error { return errOwn }), "it passes unchanged")
		require.NoError(t, d.Write(t.Context(), "k", func(tx *sqldb.Tx) error {
			return errors.Join(add(tx, 2, "two"), add(tx, 3, "three"))
		}))
		var all []thing
		require.NoError(t, d.Read(t.Context()).All(&all, `SELECT id, name FROM things ORDER BY id`))
		require.Equal(t, []thing{{2, "two"}, {3, "three"}}, all)
	})
	t.Run("a transaction that panics is undone, and holds up nobody", func(t *testing.T) {
		d := open(t)
		// Many are made with a context that never ends: what was paid for is to be kept.
		require.PanicsWithValue(t, "a bug", func() {
			_ = d.Write(context.WithoutCancel(t.Context()), "k", func(tx *sqldb.Tx) error {
				require.NoError(t, add(tx, 1, "one"))
				panic("a bug")
			})
		})
		soon, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		require.NoError(t, d.Write(soon, "k", func(tx *sqldb.Tx) error { return add(tx, 1, "one") }))
	})
	t.Run("a transaction and what reads outside of it ask in the same way", func(t *testing.T) {
		d := open(t)
		ask := func(q sqldb.Querier) {
			var row thing
			found, err := q.Row(&row, `SELECT id, name FROM things WHERE id = ? AND name <> ?`, 1, "none")
			require.NoError(t, err)
			require.True(t, found)
			require.Equal(t, thing{1, "one"}, row)
			found, err = q.Row(&row, `SELECT id, name FROM things WHERE id = ?`, 9)
			require.NoError(t, err)
			require.False(t, found)
			var n int
			found, err = q.Value(&n, `SELECT COUNT(*) FROM things WHERE id IN (`+sqldb.Placeholders(2)+`) LIMIT ?`, 1, 2, 5)
			require.NoError(t, err)
			require.True(t, found)
			require.Equal(t, 1, n)
		}
		for range 2 {
			require.NoError(t, d.Write(t.Context(), "", func(tx *sqldb.Tx) error {
				_, err := tx.Exec(`DELETE FROM things`)
				require.NoError(t, errors.Join(err, add(tx, 1, "one")))
				ask(tx)
				return nil
			}))
		}
		ask(d.Read(t.Context()))
		rows, err := d.Read(t.Context()).Query(`SELECT id, name FROM things`)
		require.NoError(t, err)
		defer rows.Close()
		require.True(t, rows.Next())
		var row thing
		require.NoError(t, d.Read(t.Context()).Scan(rows, &row))
		require.Equal(t, thing{1, "one"}, row)
	})
	t.Run("an error says which database and statement it is of, and nothing of the arguments", func(t *testing.T) {
		d := open(t)
		err := d.Write(t.Context(), "", func(tx *sqldb.Tx) error {
			_, err := tx.Exec(`INSERT INTO nothing (id) VALUES (?)`, "secret")
			return err
		})
		require.ErrorContains(t, err, "insert into nothing: ")
		require.True(t, strings.HasPrefix(err.Error(), "test: "), err)
		require.NotContains(t, err.Error(), "secret")
		err = d.Read(t.Context()).All(&[]thing{}, `SELECT id FROM nothing`)
		require.ErrorContains(t, err, "select id from: ")
		require.True(t, strings.HasPrefix(err.Error(), "test: "), err)
	})
	t.Run("a transaction that was given up writes nothing", func(t *testing.T) {
		d := open(t)
		ctx, cancel := context.WithCancel(t.Context())
		err := d.Write(ctx, "k", func(tx *sqldb.Tx) error {
			cancel()
			return add(tx, 1, "one")
		})
		require.Equal(t, context.Canceled, err)
		var n int
		_, err = d.Read(t.Context()).Value(&n, `SELECT COUNT(*) FROM things`)
		require.NoError(t, err)
		require.Zero(t, n)
	})
	t.Run("it takes writes", func(t *testing.T) {
		require.NoError(t, open(t).Ping(t.Context()))
	})
}

// TestExactlyOne proves that it is said which database is meant.
func TestExactlyOne(t *testing.T) {
	for _, o := range []sqldb.Options{{Name: "test"}, {Name: "test", SQLite: "a", PostgreSQL: "b"}} {
		_, err := sqldb.Open(o)
		require.EqualError(t, err, "test: exactly one of SQLite and PostgreSQL must be set")
	}
}

// TestFullDisk proves that a full disk is explained, and that it goes on once there is
// room again.
func TestFullDisk(t *testing.T) {
	d := open(t, sqldb.Options{SQLite: filepath.Join(t.TempDir(), "main.db")})
	restore := sqldb.LimitSize(d)
	defer restore()
	fill := func(id int64) error {
		return d.Write(t.Context(), "", func(tx *sqldb.Tx) error { return add(tx, id, strings.Repeat("x", 16<<10)) })
	}
	var err error
	for i := int64(0); i < 1000 && err == nil; i++ {
		err = fill(i)
	}
	require.ErrorContains(t, err, "test: main.db cannot grow, the disk is full")
	restore()
	require.NoError(t, fill(1000))
}

// TestOneClock proves that a transaction has one time, that of the clock it was given.
func TestOneClock(t *testing.T) {
	now := time.Unix(1000, 0)
	d := open(t, sqldb.Options{SQLite: filepath.Join(t.TempDir(), "main.db"), Now: func() time.Time { return now }})
	require.NoError(t, d.Write(t.Context(), "", func(tx *sqldb.Tx) error {
		require.Equal(t, now, tx.Began)
		at, err := d.ServerTime(tx)
		require.Equal(t, now, at)
		return err
	}))
}
