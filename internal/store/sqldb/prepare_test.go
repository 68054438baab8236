package sqldb_test

import (
	"database/sql"
	"errors"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/store/sqldb"
)

// changed is schema with as many migrations as texts. They are the same on both databases.
func changed(texts ...string) sqldb.Schema {
	files := fstest.MapFS{}
	for i, text := range texts {
		for _, folder := range []string{"migrations/sqlite/0000", "migrations/postgres/0000"} {
			files[folder+string(rune('1'+i))+"_x.sql"] = &fstest.MapFile{Data: []byte(text)}
		}
	}
	return sqldb.Schema{Create: schema.Create, Migrations: files}
}

// onBoth runs a test on an empty database of each kind.
func onBoth(t *testing.T, test func(*testing.T, sqldb.Options)) {
	t.Run("SQLite", func(t *testing.T) { test(t, sqldb.Options{SQLite: filepath.Join(t.TempDir(), "main.db")}) })
	t.Run("PostgreSQL", func(t *testing.T) { test(t, sqldb.Options{PostgreSQL: address(t)}) })
}

func prepare(t *testing.T, o sqldb.Options, s sqldb.Schema) error {
	o.Name = "test"
	d, err := sqldb.Open(o)
	if err != nil {
		return err
	}
	return errors.Join(d.Prepare(t.Context(), s), d.Close())
}

func rawDB(t *testing.T, o sqldb.Options) *sql.DB {
	t.Helper()
	driver, at := "sqlite", o.SQLite
	if o.PostgreSQL != "" {
		driver, at = "pgx", o.PostgreSQL
	}
	db, err := sql.Open(driver, at)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func execRaw(t *testing.T, o sqldb.Options, query string) {
	t.Helper()
	_, err := rawDB(t, o).ExecContext(t.Context(), query)
	require.NoError(t, err)
}

func tables(t *testing.T, o sqldb.Options) string {
	t.Helper()
	query := `SELECT COALESCE(GROUP_CONCAT(name, ' '), '') FROM (SELECT name FROM sqlite_master ORDER BY name)`
	if o.PostgreSQL != "" {
		query = `SELECT COALESCE(STRING_AGG(tablename, ' ' ORDER BY tablename), '') FROM pg_tables WHERE schemaname = current_schema()`
	}
	var names string
	require.NoError(t, rawDB(t, o).QueryRowContext(t.Context(), query).Scan(&names))
	return strings.ReplaceAll(names, " sqlite_autoindex_things_1", "")
}

// TestMigrations proves that a database gets each migration once, in order, whether it is
// new or has some of them.
func TestMigrations(t *testing.T) {
	onBoth(t, func(t *testing.T, o sqldb.Options) {
		const first, second = `CREATE TABLE a (n BIGINT)`, `CREATE TABLE b (n BIGINT); DROP TABLE a`
		require.NoError(t, prepare(t, o, changed()))
		require.Equal(t, "errand_schema things", tables(t, o))
		require.NoError(t, prepare(t, o, changed(first)))
		require.Equal(t, "a errand_schema things", tables(t, o))
		for range 2 {
			require.NoError(t, prepare(t, o, changed(first, second)))
			require.Equal(t, "b errand_schema things", tables(t, o))
		}
		require.ErrorContains(t, prepare(t, o, changed(first, second, `CREATE TABLE c (n BIGINT); nonsense`)), "/00003_x.sql: ")
		require.Equal(t, "b errand_schema things", tables(t, o), "one that fails leaves nothing")
	})
	onBoth(t, func(t *testing.T, o sqldb.Options) {
		s := changed(`CREATE TABLE a (n BIGINT)`)
		files := s.Migrations.(fstest.MapFS)
		first := files["migrations/sqlite/00001_x.sql"]
		files["migrations/sqlite/00003_x.sql"], files["migrations/postgres/00003_x.sql"] = first, first
		require.ErrorContains(t, prepare(t, o, s), "00003_x.sql: its number must be 00002")
		require.Empty(t, tables(t, o))
		require.NoError(t, prepare(t, o, changed(`CREATE TABLE a (n BIGINT)`)))
		require.Equal(t, "a errand_schema things", tables(t, o), "a new database has them, too")
	})
}

// TestNewerIsRefused proves that a database with a migration that is not known is refused.
func TestNewerIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, o sqldb.Options) {
		require.NoError(t, prepare(t, o, changed(`CREATE TABLE a (n BIGINT)`)))
		err := prepare(t, o, schema)
		require.ErrorIs(t, err, sqldb.ErrNewer)
		require.ErrorContains(t, err, ": a newer version made it, with schema 1, and this program knows schema 0")
		require.Equal(t, "a errand_schema things", tables(t, o))
	})
}

// TestOlderIsRefused proves that a database from before the schema is refused and left as
// it is.
func TestOlderIsRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, o sqldb.Options) {
		execRaw(t, o, `CREATE TABLE goose_db_version (version_id BIGINT); CREATE TABLE old (n BIGINT)`)
		require.ErrorIs(t, prepare(t, o, schema), sqldb.ErrOlder)
		require.Equal(t, "goose_db_version old", tables(t, o))
	})
}

// TestOtherTablesAreRefused proves that a database is refused that another Create has made,
// and that a comment makes no difference.
func TestOtherTablesAreRefused(t *testing.T) {
	onBoth(t, func(t *testing.T, o sqldb.Options) {
		require.NoError(t, prepare(t, o, schema))
		require.NoError(t, prepare(t, o, sqldb.Schema{Create: "-- The tables.\n" + schema.Create, Migrations: schema.Migrations}))
		require.ErrorIs(t, prepare(t, o, sqldb.Schema{Create: schema.Create + `; CREATE TABLE more (n BIGINT)`, Migrations: schema.Migrations}), sqldb.ErrOlder)
		require.Equal(t, "errand_schema things", tables(t, o))
	})
}

// TestRefusedFileIsUntouched proves that no byte of a file that is refused changes: neither
// its journal mode, nor what a killed process left in the write-ahead log beside it.
func TestRefusedFileIsUntouched(t *testing.T) {
	for _, mode := range []string{"delete", "wal"} {
		t.Run(mode, func(t *testing.T) {
			made := sqldb.Options{SQLite: filepath.Join(t.TempDir(), "made.db")}
			db := rawDB(t, made) // it is open until the test ends: nothing is moved out of its log
			_, err := db.Exec(`PRAGMA journal_mode = ` + mode)
			require.NoError(t, err)
			_, err = db.Exec(`CREATE TABLE goose_db_version (version_id INTEGER); INSERT INTO goose_db_version VALUES (109)`)
			require.NoError(t, err)

			old := filepath.Join(t.TempDir(), "main.db")
			content := map[string][]byte{}
			for _, end := range []string{"", "-wal"} {
				if content[end], err = os.ReadFile(made.SQLite + end); os.IsNotExist(err) {
					delete(content, end)
					continue
				}
				require.NoError(t, err)
				require.NoError(t, os.WriteFile(old+end, content[end], 0o600))
			}
			require.Equal(t, mode == "wal", len(content["-wal"]) > 0)
			require.ErrorIs(t, prepare(t, sqldb.Options{SQLite: old}, schema), sqldb.ErrOlder)
			for end, want := range content {
				have, err := os.ReadFile(old + end)
				require.NoError(t, err)
				require.Equal(t, want, have, "main.db%s", end)
			}
		})
	}
}

// TestFailsHalfWay proves that tables that cannot all be made are not made at all.
func TestFailsHalfWay(t *testing.T) {
	onBoth(t, func(t *testing.T, o sqldb.Options) {
		bad := sqldb.Schema{Create: schema.Create + `CREATE TABLE things (id BIGINT);`, Migrations: schema.Migrations}
		require.ErrorContains(t, prepare(t, o, bad), "create the tables: ")
		require.Empty(t, tables(t, o))
		require.NoError(t, prepare(t, o, schema))
		require.Equal(t, "errand_schema things", tables(t, o))
	})
}

// TestKilledHalfWay proves that a process that is killed after it has made the tables, and
// before it has committed them, leaves an empty database, which the next one prepares.
func TestKilledHalfWay(t *testing.T) {
	const file, server = "SQLDB_TEST_KILLED_FILE", "SQLDB_TEST_KILLED_SERVER"
	if o := (sqldb.Options{SQLite: os.Getenv(file), PostgreSQL: os.Getenv(server)}); o.SQLite+o.PostgreSQL != "" {
		o.Trace = func(query string) {
			if strings.HasPrefix(query, "UPDATE errand_schema") {
				_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
				select {}
			}
		}
		t.Fatal("it lives: ", prepare(t, o, schema))
	}
	onBoth(t, func(t *testing.T, o sqldb.Options) {
		child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledHalfWay$", "-test.timeout=1m")
		child.Env = append(os.Environ(), file+"="+o.SQLite, server+"="+o.PostgreSQL)
		out, err := child.CombinedOutput()
		require.ErrorContains(t, err, "signal: killed", string(out))
		require.Empty(t, tables(t, o))
		require.NoError(t, prepare(t, o, schema))
		require.Equal(t, "errand_schema things", tables(t, o))
	})
}

// TestSeveralPrepare proves that of processes that find an empty PostgreSQL database at the
// same moment one makes the tables, and the others wait for it and find them.
func TestSeveralPrepare(t *testing.T) {
	u, err := url.Parse(address(t))
	require.NoError(t, err)
	app := u.Query().Get("search_path") // no other test has it
	at := with(t, u.String(), "application_name", app)
	whole := rawDB(t, sqldb.Options{PostgreSQL: at})
	hold, err := whole.BeginTx(t.Context(), nil)
	require.NoError(t, err)
	_, err = hold.Exec(sqldb.LockSchema)
	require.NoError(t, err)
	const processes = 3
	ended := make(chan error, processes)
	for range processes {
		go func() { ended <- prepare(t, sqldb.Options{PostgreSQL: at}, schema) }()
	}
	require.Eventually(t, func() bool {
		var n int
		err := whole.QueryRow(`SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'advisory'`, app).Scan(&n)
		return err == nil && n == processes
	}, 20*time.Second, 10*time.Millisecond, "all of them have found it empty")
	require.NoError(t, hold.Rollback())
	for range processes {
		require.NoError(t, <-ended)
	}
	require.Equal(t, "errand_schema things", tables(t, sqldb.Options{PostgreSQL: at}))
}
