package sqldb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// makePrivate gives only the owner access to a database file. SQLite gives its other files the
// same rights.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("it cannot be opened: %w", err)
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return err
	}
	for _, beside := range []string{"-wal", "-shm"} { // files of a killed process
		if err := os.Chmod(path+beside, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
