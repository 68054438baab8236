// Package backup writes the data of an installation into one file, and restores it. Temporal's
// database is not part of it: open work continues from the store, in new workflow runs.
//
// The file is a compressed tar archive. Its first member, manifest.json, has the versions and the
// checksum of every other member. The data of SQLite and of PostgreSQL have different forms, and each
// can be restored into its own kind of database only.
package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"errand/internal/core"
	"errand/internal/ownerkey"
	"errand/internal/store"
)

// Options name an installation.
type Options struct {
	Store   store.Options // only SQLite and PostgreSQL are used
	Data    string        // the data folder
	Version string        // of this program
	Owner   core.PersonID // restores it, as far as the audit log knows
	// Devices creates the tables of WhatsApp's devices in a PostgreSQL database; nil: this program has
	// no WhatsApp, and does not restore them.
	Devices func(ctx context.Context, address string) error
}

// workPrefix begins the names of folders with the parts of an unfinished backup or restoration.
const workPrefix = ".errand-"

// Write writes a backup of a running or stopped installation into a new file. Without secrets, the
// file has nothing that lets a reader act as a person or as the installation. A killed process
// leaves no file with that name.
func Write(ctx context.Context, o Options, file string, secrets bool) (m Manifest, err error) {
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return m, errors.Join(fmt.Errorf("%s exists: give the backup another name", file), err)
	}
	folder := filepath.Dir(file)
	work, err := os.MkdirTemp(folder, workPrefix)
	if err != nil {
		return m, err
	}
	defer os.RemoveAll(work)
	parts := filepath.Join(work, "parts")
	if err := os.Mkdir(parts, 0o700); err != nil {
		return m, err
	}
	m = Manifest{Format: format, Errand: o.Version, Secrets: secrets}
	if m.Copy, err = store.WriteCopy(ctx, o.Store, parts, secrets); err != nil {
		return m, err
	}
	if secrets {
		if err := copyKey(o.Data, parts); err != nil {
			return m, err
		}
	}
	whole := filepath.Join(work, "whole")
	if err := m.writeFile(whole, parts); err != nil {
		return m, err
	}
	return m, errors.Join(os.Rename(whole, file), sync(folder))
}

func copyKey(from, to string) error {
	key, err := os.ReadFile(filepath.Join(from, ownerkey.File))
	if errors.Is(err, fs.ErrNotExist) { // the key is in the environment
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(to, ownerkey.File), key, 0o600)
}

func (m *Manifest) writeFile(file, parts string) error {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return errors.Join(m.write(f, parts), f.Sync(), f.Close())
}

func sync(folder string) error {
	f, err := os.Open(folder)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
