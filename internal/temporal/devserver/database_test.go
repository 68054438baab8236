//go:build !nodevserver

package devserver

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// A file that does not fit is named, with what to do, and stays as it is.
func TestIncompatibleFile(t *testing.T) {
	tests := []struct {
		name   string
		spoil  func(t *testing.T, path string)
		reason string
	}{
		{"no database", write("hello, this is a letter to my aunt"), "is not a SQLite database"},
		{"long text", write(string(bytes.Repeat([]byte("letter "), 1000))), "is not a SQLite database"},
		{"cut off", func(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 8192)) }, "is damaged"},
		{"overwritten in the middle", overwrite(4096, 64<<10), "is damaged"},
		{"older server", execute(`UPDATE errand_made_by SET server = '1.29.0'`), "made by Temporal server 1.29.0"},
		{"newer server", execute(`UPDATE errand_made_by SET server = '1.99.0'`), "which is older"},
		{"other schema", execute(`UPDATE errand_made_by SET schema = 'abc'`), "another schema"},
		{"other program", execute(`DROP TABLE errand_made_by`), "was not made by errand"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := options(t, t.TempDir())
			path := filepath.Join(o.Dir, databaseName)
			require.NoError(t, openOrCreate(t.Context(), path))
			test.spoil(t, path)
			before := contents(t, o.Dir)

			_, err := Start(t.Context(), o)
			var incompatible *IncompatibleError
			require.ErrorAs(t, err, &incompatible)
			require.Equal(t, path, incompatible.Path)
			require.Contains(t, incompatible.Reason, test.reason)
			require.Contains(t, err.Error(), `run "errand upgrade"`)
			require.Equal(t, before, contents(t, o.Dir), "nothing is touched")
		})
	}
}

// errand upgrade: the old file is kept, the next start has a fresh one.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	backup, err := Replace(dir)
	require.NoError(t, err)
	require.Empty(t, backup, "there was nothing")

	for range 3 { // within one second: the names must differ
		path := filepath.Join(dir, databaseName)
		write("old")(t, path)
		write("log")(t, path+"-wal")
		backup, err := Replace(dir)
		require.NoError(t, err)
		require.Equal(t, "old", contents(t, dir)[filepath.Base(backup)])
		require.Equal(t, "log", contents(t, dir)[filepath.Base(backup)+"-wal"])
		require.NoFileExists(t, path)
		require.NoError(t, openOrCreate(t.Context(), path))
	}
}

// A log without its database must not be read into the fresh one.
func TestStrayLogIsMoved(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, databaseName)
	write("stray")(t, path+"-wal")
	require.NoError(t, openOrCreate(t.Context(), path))
	require.NoFileExists(t, path+"-wal")
	require.NoError(t, openOrCreate(t.Context(), path), "a complete file is accepted")
	info, err := os.Stat(path)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

// A file of the minor version before goes on, and is ours from then on.
func TestNextMinorVersion(t *testing.T) {
	path := filepath.Join(t.TempDir(), databaseName)
	require.NoError(t, openOrCreate(t.Context(), path))
	us, _, err := thisServer()
	require.NoError(t, err)
	require.Empty(t, us.cannotUse(us))

	newer := maker{Server: "1.7.2", Schema: "s"}
	require.Empty(t, newer.cannotUse(maker{Server: "1.6.9", Schema: "s"}))
	require.NotEmpty(t, newer.cannotUse(maker{Server: "1.5.0", Schema: "s"}))
	require.NotEmpty(t, newer.cannotUse(maker{Server: "2.7.0", Schema: "s"}))
	require.NotEmpty(t, newer.cannotUse(maker{Server: "?", Schema: "s"}))

	require.NoError(t, adopt(t.Context(), path, maker{Server: "9.9.9"}))
	them, err := inspect(t.Context(), path, 0)
	require.NoError(t, err)
	require.Equal(t, maker{Server: "9.9.9", Schema: us.Schema}, them)
}

func write(text string) func(*testing.T, string) {
	return func(t *testing.T, path string) { require.NoError(t, os.WriteFile(path, []byte(text), 0o600)) }
}

func overwrite(from, to int) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		for i := from; i < to; i++ {
			b[i] = 0xaa
		}
		require.NoError(t, os.WriteFile(path, b, 0o600))
	}
}

func execute(stmt string) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		db, err := openFile(path, "rw")
		require.NoError(t, err)
		defer db.Close()
		_, err = db.Exec(stmt)
		require.NoError(t, err)
	}
}

func contents(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	files := map[string]string{}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		require.NoError(t, err)
		files[e.Name()] = string(b)
	}
	return files
}
