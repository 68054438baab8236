package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"errand/internal/store"
)

// Verify checks that a file is a whole backup that this program can restore into the database that
// o names. It changes nothing.
func Verify(o Options, file string) (Manifest, error) {
	m, err := read(file, func(_ Member, r io.Reader) error {
		_, err := io.Copy(io.Discard, r)
		return err
	})
	if err == nil {
		err = m.Copy.Check(o.Store)
	}
	return m, err
}

// A NotEmptyError refuses to restore over data.
type NotEmptyError struct{ Folder, Name string }

func (e *NotEmptyError) Error() string {
	return fmt.Sprintf("the data folder %s is not empty, it has %s: restore into an empty one (--data), or move what it has away", e.Folder, e.Name)
}

// CheckEmpty returns a [*NotEmptyError] if the data folder has data. It may not exist.
func CheckEmpty(folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		if name := e.Name(); name != "lock" && name != "lost+found" && !strings.HasPrefix(name, workPrefix) {
			return &NotEmptyError{folder, name}
		}
	}
	return nil
}

// Restore restores a verified backup into the empty data folder and database of o. The caller has
// the lock of the folder.
func Restore(ctx context.Context, o Options, file string) error {
	if err := CheckEmpty(o.Data); err != nil {
		return err
	}
	work, err := os.MkdirTemp(o.Data, workPrefix)
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	m, err := read(file, func(member Member, r io.Reader) error { return extract(work, member, r) })
	if err != nil {
		return err
	}
	if err := m.Copy.ReadCopy(ctx, o.Store, work); err != nil {
		return err
	}
	return install(work, o.Data)
}

func extract(folder string, member Member, r io.Reader) error {
	path := filepath.Join(folder, filepath.FromSlash(member.Name))
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}

// install moves the files of a restoration into the data folder. The store comes last: without it
// the folder is not restored.
func install(work, data string) error {
	entries, err := os.ReadDir(work)
	if err != nil {
		return err
	}
	move := func(name string) error { return os.Rename(filepath.Join(work, name), filepath.Join(data, name)) }
	last := false
	for _, e := range entries {
		switch {
		case e.Name() == store.File:
			last = true
		case !e.IsDir(): // the folder has the tables, which are in PostgreSQL now
			if err := move(e.Name()); err != nil {
				return err
			}
		}
	}
	if last {
		if err := move(store.File); err != nil {
			return err
		}
	}
	return sync(data)
}
