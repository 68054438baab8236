package store_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/store"
)

// TestOlderStore proves that a store of an older errand is refused with one sentence that
// says what to do, and is the same afterwards.
func TestOlderStore(t *testing.T) {
	t.Parallel()
	const old = `CREATE TABLE goose_db_version (version_id BIGINT, is_applied BOOLEAN); INSERT INTO goose_db_version VALUES (109, TRUE);
		CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL); INSERT INTO meta VALUES ('id', 'the-old-store')`
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		path := filepath.Join(t.TempDir(), "errand.db")
		raw(t, path, old)
		before, err := os.ReadFile(path)
		require.NoError(t, err)
		_, err = store.Open(t.Context(), store.Options{SQLite: path})
		require.EqualError(t, err, "store: errand.db: an older version made it, and this program cannot read it: "+
			"start errand with an empty data folder (--data); the old one was not changed")
		after, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, before, after)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		address := schema(t)
		db, err := sql.Open("pgx", address)
		require.NoError(t, err)
		defer db.Close()
		_, err = db.Exec(old)
		require.NoError(t, err)
		_, err = store.Open(t.Context(), store.Options{PostgreSQL: address})
		require.ErrorContains(t, err, ": an older version made it, and this program cannot read it: "+
			"give errand an empty database or schema (DATABASE_URL); the old one was not changed")
		require.Equal(t, []string{"goose_db_version", "meta"}, column(t, db, `SELECT tablename FROM pg_tables WHERE schemaname = current_schema() ORDER BY 1`))
		require.Equal(t, []string{"the-old-store"}, column(t, db, `SELECT value FROM meta`))
	})
}

// TestSchemasAreAlike proves that both databases have the same columns, but for the search
// for words: the table messages is written twice.
func TestSchemasAreAlike(t *testing.T) {
	t.Parallel()
	path, address := filepath.Join(t.TempDir(), "errand.db"), schema(t)
	openAt(t, store.Options{SQLite: path})
	openAt(t, store.Options{PostgreSQL: address})
	lite, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer lite.Close()
	postgres, err := sql.Open("pgx", address)
	require.NoError(t, err)
	defer postgres.Close()

	rename := strings.NewReplacer("double precision", "double", "DOUBLE PRECISION", "double", "bytea", "blob", "integer", "bigint", "INTEGER", "bigint")
	named := func(list []string) (out []string) {
		for _, line := range list {
			out = append(out, strings.ToLower(rename.Replace(line)))
		}
		return out
	}
	require.Equal(t,
		named(column(t, postgres, `SELECT table_name || ' ' || column_name || ' ' || data_type FROM information_schema.columns
			WHERE table_schema = current_schema() AND column_name <> 'words' OR table_schema = current_schema() AND table_name <> 'messages'
			ORDER BY CAST(table_name || ' ' || column_name AS TEXT) COLLATE "C"`)),
		named(column(t, lite, `SELECT m.name || ' ' || c.name || ' ' || c.type FROM sqlite_master m, pragma_table_info(m.name) c
			WHERE m.type = 'table' AND m.name NOT LIKE 'words%' AND m.name NOT LIKE 'sqlite%' AND NOT (m.name = 'messages' AND c.name = 'id')
			ORDER BY m.name || ' ' || c.name`)))
}
