package store_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/store"
	"errand/store/storetest"
)

// TestDeletedWords proves that no table keeps a word, or the id, of a session
// that was deleted, whatever it left.
func TestDeletedWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "errand.db")
	s, err := store.Open(t.Context(), store.Options{SQLite: path})
	require.NoError(t, err)
	id := storetest.Busy(t, s, errand.WebRoute("gone"))
	d, err := s.CondemnSession(t.Context(), id, false)
	require.NoError(t, err)
	_, err = s.DeleteSession(t.Context(), id, nil)
	require.NoError(t, err)
	require.NoError(t, s.Close())

	db, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer db.Close()
	words := []string{"secret", string(id)}
	for _, task := range d.Tasks {
		words = append(words, string(task.ID))
	}
	tables := 0
	for _, table := range column(t, db, `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'words%' AND name NOT LIKE 'sqlite%'`) {
		tables++
		for _, c := range column(t, db, fmt.Sprintf(`SELECT name FROM pragma_table_info('%s')`, table)) {
			for _, value := range column(t, db, fmt.Sprintf(`SELECT COALESCE(CAST(%s AS TEXT), '') FROM %s`, c, table)) {
				for _, w := range words {
					require.False(t, strings.Contains(value, w), "%s.%s has %q: %s", table, c, w, value)
				}
			}
		}
	}
	require.Greater(t, tables, 15)
	require.Equal(t, []string{"0"}, column(t, db, `SELECT COUNT(*) FROM words WHERE words MATCH 'secret'`))
	require.Equal(t, []string{"0"}, column(t, db, `SELECT COUNT(*) FROM words_docsize`))
}

func column(t *testing.T, db *sql.DB, query string) []string {
	t.Helper()
	rows, err := db.Query(query)
	require.NoError(t, err, query)
	defer rows.Close()
	var list []string
	for rows.Next() {
		var v string
		require.NoError(t, rows.Scan(&v))
		list = append(list, v)
	}
	require.NoError(t, rows.Err())
	return list
}
