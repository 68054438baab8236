package sqldb_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/store/sqldb"
)

// TestReadersKeepStatements proves that what reads on SQLite has its queries parsed once,
// that it sees what was written since, and that a query which is kept holds no earlier
// state of the file: neither one of which a row was read, nor one that was given up.
func TestReadersKeepStatements(t *testing.T) {
	path := filepath.Join(t.TempDir(), "main.db")
	d := open(t, sqldb.Options{SQLite: path})
	const names = `SELECT name FROM things ORDER BY id DESC`
	for id := range int64(5) {
		require.NoError(t, d.Write(t.Context(), "k", func(tx *sqldb.Tx) error { return add(tx, id, string(rune('a'+id))) }))
		var name string
		found, err := d.Read(t.Context()).Value(&name, names)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, string(rune('a'+id)), name)
	}
	canceled, cancel := context.WithCancel(t.Context())
	rows, err := d.Read(canceled).Query(names)
	require.NoError(t, err)
	require.True(t, rows.Next())
	cancel()
	require.NoError(t, rows.Close())
	_, err = d.Read(canceled).Query(names)
	require.ErrorIs(t, err, context.Canceled)
	const count = `SELECT COUNT(*) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) SELECT i FROM n)`
	soon, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	var n int
	_, err = d.Read(soon).Value(&n, count, int64(1)<<40)
	require.Error(t, err, "what takes long ends with its context")
	_, err = d.Read(t.Context()).Value(&n, count, 7)
	require.NoError(t, err)
	require.Equal(t, 7, n)
	require.True(t, sqldb.KeepsStatements(d))
	require.NoError(t, d.TruncateLog(t.Context()))
	log, err := os.Stat(path + "-wal")
	require.NoError(t, err)
	require.Zero(t, log.Size(), "somebody still reads an earlier state")
}
