package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"

	"errand/internal/ownerkey"
)

const othersWrite fs.FileMode = 0o022

// privateFolder makes the data folder private if it is new, empty or errand's. In a folder with
// other content, only errand's files are private. privateFolder rejects it if other users could
// replace these files.
func privateFolder(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make data folder: %w", err)
	}
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	if info.Mode().Perm()&0o077 == 0 || runtime.GOOS == "windows" { // Windows has other permissions
		return nil
	}
	own, err := isOurs(dir)
	if err != nil {
		return fmt.Errorf("data folder: %w", err)
	}
	if own && info.Mode()&fs.ModeSticky == 0 { // a sticky folder, such as /tmp, is shared

		// A folder of another user, such as the root of a volume, cannot be changed.
		if err := os.Chmod(dir, info.Mode().Perm()&^0o077); err == nil || !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	if info.Mode().Perm()&othersWrite != 0 {
		return fmt.Errorf("others may write to the data folder %s, and could put files of theirs in place of errand's: "+
			"give errand a folder of its own (--data), or take their rights: chmod go-w %s", dir, dir)
	}
	return nil
}

func isOurs(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return false, err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "lost+found" })
	return len(entries) == 0 || slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return slices.Contains([]string{"errand.db", "temporal.db", "lock", ownerkey.File}, e.Name())
	}), nil
}
