package storetest

import (
	"context"
	"database/sql"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/store"
)

// File makes an empty SQLite database with the schema of this version and returns its
// path. It goes with the test. Opening it takes a thirtieth of the time of opening one
// that is not there: the tables are created once for all tests of a process.
func File(t testing.TB) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "errand.db")
	FileAt(t, path)
	return path
}

// FileAt is File at a given path.
func FileAt(t testing.TB, path string) {
	t.Helper()
	empty, err := created()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, empty, 0o600))
}

// created is the content of a database that has its tables and that no store has been
// opened on: each copy draws an id of its own.
var created = sync.OnceValues(func() (content []byte, err error) {
	dir, err := os.MkdirTemp("", "storetest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "errand.db")
	// The tests of a process share it, so it is opened in the context of none.
	s, err := store.Open(context.Background(), store.Options{SQLite: path})
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", path) // the driver that package sqldb brings
	if err != nil {
		return nil, err
	}
	_, err = db.Exec(`DELETE FROM meta WHERE key = 'id'; PRAGMA wal_checkpoint(TRUNCATE)`)
	if closed := db.Close(); err == nil {
		err = closed
	}
	if err != nil {
		return nil, err
	}
	return os.ReadFile(path)
})
