package store_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/storetest"
)

// TestDeletedWords proves that no table keeps a word, or the id, of a session
// that was deleted, whatever it left.
func TestDeletedWords(t *testing.T) {
	path := filepath.Join(t.TempDir(), "errand.db")
	s, err := store.Open(t.Context(), store.Options{SQLite: path})
	require.NoError(t, err)
	id := storetest.Busy(t, s, core.WebRoute("gone"))
	d, err := s.MarkForDeletion(t.Context(), id, false)
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

// TestDeletedBytes proves that the files of the store have no word of a session
// that was deleted, while the store goes on: neither in a page, nor in the index of
// words, nor in the log.
func TestDeletedBytes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "errand.db")
	s, err := store.Open(t.Context(), store.Options{SQLite: path})
	require.NoError(t, err)
	defer s.Close()
	id := storetest.Busy(t, s, core.WebRoute("gone"))
	kept, err := s.Rehydrate(t.Context(), core.NewSessionKey(core.WebRoute("kept"), "ada"), "nikki")
	require.NoError(t, err)
	require.NotZero(t, inFiles(t, path, "secret"))
	_, err = s.MarkForDeletion(t.Context(), id, false)
	require.NoError(t, err)
	_, err = s.DeleteSession(t.Context(), id, nil)
	require.NoError(t, err)
	require.NoError(t, s.Scrub(t.Context(), nil))
	require.Zero(t, inFiles(t, path, "secret"))
	require.NotZero(t, inFiles(t, path, string(kept.Session)), "what was not deleted is there")
}

// TestScrubIsRepeated proves that a Scrub that was cut off is begun again by the
// next one.
func TestScrubIsRepeated(t *testing.T) {
	ends := map[string]func(*testing.T, *store.Store){
		"by an error": func(t *testing.T, s *store.Store) {
			stop := errors.New("stop")
			require.ErrorIs(t, s.Scrub(t.Context(), func() error { return stop }), stop)
		},
		"as by a kill, with nothing noted on the way out": func(t *testing.T, s *store.Store) {
			require.Panics(t, func() { require.NoError(t, s.Scrub(t.Context(), func() error { panic("killed") })) })
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "errand.db")
			s, err := store.Open(t.Context(), store.Options{SQLite: path})
			require.NoError(t, err)
			defer s.Close()
			id := storetest.Busy(t, s, core.WebRoute("gone"))
			_, err = s.MarkForDeletion(t.Context(), id, false)
			require.NoError(t, err)
			_, err = s.DeleteSession(t.Context(), id, nil)
			require.NoError(t, err)
			end(t, s)
			db, err := sql.Open("sqlite", path)
			require.NoError(t, err)
			defer db.Close()
			require.NotEqual(t, []string{"0"}, column(t, db, `SELECT value FROM meta WHERE key = 'unscrubbed'`), "the next one has to do it again")
			require.NoError(t, s.Scrub(t.Context(), nil))
			require.Zero(t, inFiles(t, path, "secret"))
		})
	}
}

func inFiles(t *testing.T, path, word string) int {
	t.Helper()
	files, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	n := 0
	for _, f := range files {
		data, err := os.ReadFile(f)
		require.NoError(t, err)
		n += strings.Count(string(data), word)
	}
	return n
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
