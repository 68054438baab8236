package sqldb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// makePrivate makes the file of a database so that only its owner can read it,
// and takes the rights of others from one that is there. SQLite gives the files
// that belong to a database the rights of the database.
func makePrivate(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("it cannot be opened: %w", err)
	}
	if err := errors.Join(f.Chmod(0o600), f.Close()); err != nil {
		return err
	}
	for _, beside := range []string{"-wal", "-shm"} { // of a process that was killed
		if err := os.Chmod(path+beside, 0o600); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
