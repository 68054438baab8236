package sqldb_test

import (
	"os"
	"path/filepath"
	"testing"

	"errand/internal/store/sqldb"
)

// TestExtra proves that what others keep beside the database is a file that only its
// owner can read, with foreign keys, and is closed with it.
func TestExtra(t *testing.T) {
	dir := t.TempDir()
	d, err := sqldb.Open(sqldb.Options{SQLite: filepath.Join(dir, "main.db")})
	if err != nil {
		t.Fatal(err)
	}
	db, postgres, err := d.Extra(t.Context(), "other.db")
	if err != nil || postgres {
		t.Fatal(postgres, err)
	}
	if _, err := db.Exec(`CREATE TABLE a (id INTEGER PRIMARY KEY); CREATE TABLE b (a INTEGER REFERENCES a (id))`); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`INSERT INTO b VALUES (1)`); err == nil {
		t.Error("foreign keys are off")
	}
	for _, name := range []string{"other.db", "other.db-wal", "other.db-shm"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if db.Ping() == nil {
		t.Error("it is still open")
	}
}

// TestFileIsPrivate proves that only its owner can read the file, whoever made
// the folder, also after a process that left it open to others.
func TestFileIsPrivate(t *testing.T) {
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "main.db")
	for range 2 {
		d, err := sqldb.Open(sqldb.Options{SQLite: path})
		if err == nil {
			err = d.Prepare(t.Context(), schema)
		}
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(path + "*")
		if err != nil || len(files) < 2 {
			t.Fatal(files, err)
		}
		for _, f := range files {
			if info, err := os.Stat(f); err != nil || info.Mode().Perm() != 0o600 {
				t.Errorf("%s: %v, %v", f, info.Mode(), err)
			}
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
