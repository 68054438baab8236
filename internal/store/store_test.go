package store_test

import (
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/storetest"
)

func openSQLite(t testing.TB, o store.Options) *store.Store {
	o.SQLite = storetest.File(t)
	return openAt(t, o)
}

func openAt(t testing.TB, o store.Options) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), o)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func openPostgreSQL(t testing.TB, o store.Options) *store.Store {
	address := os.Getenv("ERRAND_TEST_POSTGRES")
	if address == "" {
		t.Skip("ERRAND_TEST_POSTGRES is not set: a URL, postgres://…, of a database where schemas may be made")
	}
	o.PostgreSQL = storetest.Schema(t, address)
	return openAt(t, o)
}

func TestPostgreSQL(t *testing.T) {
	address := os.Getenv("ERRAND_TEST_POSTGRES")
	if address == "" {
		t.Skip("ERRAND_TEST_POSTGRES is not set: a URL, postgres://…, of a database where schemas may be made")
	}
	schemas := storetest.NewSchemas(t, address)
	storetest.Run(t, func(t testing.TB, o store.Options) *store.Store {
		o.PostgreSQL = schemas.Take(t)
		return openAt(t, o)
	})
}

// T1 and T2 of a plain turn; the message is accepted outside of the clock.
func BenchmarkSQLite(b *testing.B) { storetest.Bench(b, openSQLite) }

func BenchmarkPostgreSQL(b *testing.B) { storetest.Bench(b, openPostgreSQL) }

func BenchmarkPostgreSQLConversations(b *testing.B) {
	storetest.BenchConversations(b, openPostgreSQL)
}

func TestOpen(t *testing.T) {
	t.Parallel()
	open := func(path string) error {
		s, err := store.Open(t.Context(), store.Options{SQLite: path})
		if err == nil {
			require.NoError(t, s.Close())
		}
		return err
	}
	t.Run("a store is the same after it was closed", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "with space?&#.db")
		a, err := store.Open(t.Context(), store.Options{SQLite: path, Full: true})
		require.NoError(t, err)
		id := a.ID()
		require.NoError(t, a.Close())
		require.FileExists(t, path)
		require.Equal(t, id, openAt(t, store.Options{SQLite: path}).ID())
	})
	t.Run("nobody holds a connection any more", func(t *testing.T) {
		path, account := filepath.Join(t.TempDir(), "errand.db"), core.Account{Channel: "telegram", Name: "main"}
		before, err := store.Open(t.Context(), store.Options{SQLite: path})
		require.NoError(t, err)
		lasts, err := before.Lease(t.Context(), account, "before", time.Hour)
		require.NoError(t, err)
		require.NotZero(t, lasts)
		require.NoError(t, before.Close())
		after, err := store.Open(t.Context(), store.Options{SQLite: path})
		require.NoError(t, err)
		lasts, err = after.Lease(t.Context(), account, "after", time.Hour)
		require.NoError(t, err)
		require.NotZero(t, lasts)
		require.NoError(t, after.Close())
		forgotten, err := openAt(t, store.Options{SQLite: path}).ForgetConnection(t.Context(), account, time.Minute)
		require.NoError(t, err)
		require.True(t, forgotten, "nobody comes back for it")
	})
	t.Run("a file that is no database is refused and kept", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "errand.db")
		words := []byte(strings.Repeat("not a database ", 1000))
		require.NoError(t, os.WriteFile(path, words, 0o600))
		require.ErrorContains(t, open(path), "store: errand.db is not a SQLite database")
		kept, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, words, kept)
	})
	t.Run("a newer schema is refused", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "errand.db")
		require.NoError(t, open(path))
		raw(t, path, `UPDATE errand_schema SET version = 99999`)
		require.EqualError(t, open(path), fmt.Sprintf("store: errand.db: a newer version made it, with schema 99999, and this program knows schema %d: "+
			"install the newer errand again, or restore a backup from before the upgrade into an empty place; nothing was changed", store.SchemaVersion()))
	})
	t.Run("a file in a folder that is not there is explained", func(t *testing.T) {
		require.ErrorContains(t, open(filepath.Join(t.TempDir(), "none", "errand.db")), "cannot be opened")
	})
	t.Run("a file that another process locks is explained", func(t *testing.T) {
		if testing.Short() {
			t.Skip("waits for the busy timeout of 5 s")
		}
		path := filepath.Join(t.TempDir(), "errand.db")
		require.NoError(t, open(path))
		other, err := sql.Open("sqlite", path)
		require.NoError(t, err)
		defer other.Close()
		other.SetMaxOpenConns(1)
		_, err = other.Exec(`BEGIN EXCLUSIVE`)
		require.NoError(t, err)
		require.ErrorContains(t, open(path), "is locked by another process")
	})
	t.Run("nothing is left running by a failure", func(t *testing.T) {
		_, err := store.Open(t.Context(), store.Options{})
		require.ErrorContains(t, err, "exactly one of")
		_, err = store.Open(t.Context(), store.Options{PostgreSQL: "postgres://user:secret@127.0.0.1:1/none"})
		require.Error(t, err)
		require.NotContains(t, err.Error(), "secret")
	})
}

func raw(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	_, err = db.Exec(query)
	require.NoError(t, err)
	require.NoError(t, db.Close())
}
