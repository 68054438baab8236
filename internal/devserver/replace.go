package devserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// databaseName is the file in Options.Dir. SQLite keeps two more beside it.
const databaseName = "temporal.db"

// sidecars are SQLite's own files, which belong to the database file: a fresh
// file beside an old -wal would be damaged by it.
var sidecars = []string{"-wal", "-shm", "-journal"}

// Replace sets the database in dir aside, so that the next Start begins a fresh
// one, and returns the path of the old one (temporal.db.20260102-150405); "" if
// there was none. Nothing is deleted. No server may be running on dir.
func Replace(dir string) (string, error) {
	path := filepath.Join(dir, databaseName)
	moved, err := freeName(path + "." + time.Now().UTC().Format("20060102-150405"))
	if err != nil {
		return "", fmt.Errorf("set %s aside: %w", path, err)
	}
	// The database goes first: stopped in between, what is left is a -wal
	// without a database, which Start sets aside by the same function.
	found := false
	for _, suffix := range append([]string{""}, sidecars...) {
		err := os.Rename(path+suffix, moved+suffix)
		switch {
		case err == nil:
			found = true
		case !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("set %s aside: %w", path+suffix, err)
		}
	}
	if !found {
		return "", nil
	}
	return moved, nil
}

// freeName returns the first of name, name-2, name-3 … that is not taken.
func freeName(name string) (string, error) {
	try := name
	for n := 2; ; n++ {
		_, err := os.Lstat(try)
		if errors.Is(err, fs.ErrNotExist) {
			return try, nil
		}
		if err != nil {
			return "", err
		}
		try = fmt.Sprintf("%s-%d", name, n)
	}
}
