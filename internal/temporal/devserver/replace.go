package devserver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

const databaseName = "temporal.db"

// sidecars are SQLite's files beside the database. An old -wal would damage a new database.
var sidecars = []string{"-wal", "-shm", "-journal"}

// Replace renames the database in dir, so that the next Start creates a new one. It returns the new
// path (temporal.db.20260102-150405), or "" if there was no database. No server may run on dir.
func Replace(dir string) (string, error) {
	path := filepath.Join(dir, databaseName)
	moved, err := freeName(path + "." + time.Now().UTC().Format("20060102-150405"))
	if err != nil {
		return "", fmt.Errorf("set %s aside: %w", path, err)
	}
	// Rename the database first: a kill in between leaves a -wal without a database, which the next
	// Start renames by calling Replace.
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
