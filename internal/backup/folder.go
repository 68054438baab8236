package backup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Folder keeps the latest backups.
type Folder struct {
	Options
	Path string // made if it does not exist
	Keep int    // how many backups stay
}

var kept = regexp.MustCompile(`^errand-\d{8}-\d{6}\.\d{3}Z\.backup$`)

// abandoned is the age at which the parts of a backup belong to a killed process.
const abandoned = 24 * time.Hour

// Write writes a backup without secrets, and deletes the oldest ones. It returns its path. It touches
// no other files in the folder.
func (f Folder) Write(ctx context.Context) (string, error) {
	if err := os.MkdirAll(f.Path, 0o700); err != nil {
		return "", err
	}
	path := filepath.Join(f.Path, time.Now().UTC().Format("errand-20060102-150405.000Z.backup"))
	if _, err := Write(ctx, f.Options, path, false); err != nil {
		return "", err
	}
	return path, f.clean()
}

func (f Folder) clean() error {
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		return err
	}
	var backups []string
	var errs []error
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			errs = append(errs, err)
		case kept.MatchString(e.Name()):
			backups = append(backups, e.Name())
		case e.IsDir() && strings.HasPrefix(e.Name(), workPrefix) && time.Since(info.ModTime()) > abandoned:
			errs = append(errs, os.RemoveAll(filepath.Join(f.Path, e.Name())))
		}
	}
	slices.Sort(backups)
	slices.Reverse(backups)
	for _, name := range backups[min(f.Keep, len(backups)):] {
		errs = append(errs, os.Remove(filepath.Join(f.Path, name)))
	}
	return errors.Join(errs...)
}
