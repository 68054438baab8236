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

	"errand/internal/ownerkey"
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
type NotEmptyError struct{ What string }

func (e *NotEmptyError) Error() string {
	return e.What + ": restore into an empty data folder (--data), or into an empty PostgreSQL database or schema (DATABASE_URL)"
}

// CheckEmpty returns a [*NotEmptyError] if the database or the data folder has data. The folder may
// not exist. Beside a PostgreSQL database it may have the owner's key, which stays.
func CheckEmpty(ctx context.Context, o Options) error {
	empty, err := o.Store.IsEmpty(ctx)
	if err != nil {
		return err
	}
	if !empty {
		return &NotEmptyError{"the database has data"}
	}
	entries, err := os.ReadDir(o.Data)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, e := range entries {
		name := e.Name()
		ours := name == "temporal.db" || o.Store.PostgreSQL == "" && name != "lock" && name != "lost+found" && !strings.HasPrefix(name, workPrefix)
		if ours {
			return &NotEmptyError{fmt.Sprintf("the data folder %s has %s", o.Data, name)}
		}
	}
	return nil
}

// Restore restores a verified backup into the empty data folder and database of o. The caller has
// the lock of the folder.
func Restore(ctx context.Context, o Options, file string) error {
	if err := CheckEmpty(ctx, o); err != nil {
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
	if err := m.Copy.PrepareTables(ctx, o.Store); err != nil {
		return err
	}
	if m.Copy.HasDevices() && o.Devices != nil {
		if err := o.Devices(ctx, o.Store.PostgreSQL); err != nil {
			return err
		}
	}
	if err := m.Copy.ReadCopy(ctx, o.Store, work, o.Devices != nil, o.Owner); err != nil {
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
// the folder is not restored. The tables of PostgreSQL stay behind.
func install(work, data string) error {
	for _, name := range []string{ownerkey.File, store.DevicesFile, store.File} {
		to := filepath.Join(data, name)
		if _, err := os.Lstat(to); err == nil {
			continue // the key of a folder beside PostgreSQL
		}
		if err := os.Rename(filepath.Join(work, name), to); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return sync(data)
}
