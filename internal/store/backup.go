package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"errand/internal/store/sqldb"
)

// A Copy describes a consistent copy of a store's data: see [WriteCopy].
type Copy struct {
	Database string    `json:"database"` // sqlite or postgresql: only that one can read it
	Schema   string    `json:"schema"`   // the tables' fingerprint
	Version  int       `json:"version"`  // the last migration that has run
	Made     time.Time `json:"made"`     // by the database's clock
	// LeftOut counts the rows with secrets that were left out, by table.
	LeftOut map[string]int64 `json:"left_out,omitempty"`
}

const onSQLite = "sqlite"

// File is the name of the store's file in the data folder, and in a copy.
const File = "errand.db"

// DevicesFile is the name of the database with WhatsApp's devices: see [Store.Extra].
const DevicesFile = "whatsapp.db"

// secrets are what a copy leaves out: what lets its reader act as a person or as the installation.
// A later copy of a table comes before the tables that refer to it.
var secrets = []sqldb.Omission{
	{Table: "pushes", Where: "TRUE"},
	{Table: "push_subscriptions", Where: "TRUE"},
	{Table: "tokens", Where: "TRUE"},
	{Table: "webhook_keys", Where: "TRUE"},
	{Table: "a2a_pushes", Where: "TRUE"},
	{Table: "meta", Where: "key = 'push_key'"},
	{Table: "pairings", Column: "token_hash"},
	{Table: "connections", Column: "link"},
}

// WriteCopy writes a consistent copy of the data of the database that o names to files in dir, while
// workers use it. Files and workspaces are part of it.
func WriteCopy(ctx context.Context, o Options, dir string, withSecrets bool) (Copy, error) {
	var omit []sqldb.Omission
	if !withSecrets {
		omit = secrets
	}
	c := Copy{Database: onSQLite, Made: time.Now().UTC()}
	made, err := sqldb.SnapshotSQLite(ctx, o.SQLite, filepath.Join(dir, File), omit)
	if err != nil {
		return c, err
	}
	c.Schema, c.Version, c.LeftOut = made.Schema, made.Version, made.Left
	devices := filepath.Join(filepath.Dir(o.SQLite), DevicesFile)
	if _, err := os.Stat(devices); err != nil || !withSecrets {
		return c, nil
	}
	return c, sqldb.CopySQLite(ctx, devices, filepath.Join(dir, DevicesFile))
}

// ErrOtherSchema refuses a copy of a database that this program cannot read.
var ErrOtherSchema = errors.New("another version of errand made it, with other tables")

// Check returns an error if this program cannot read the copy into the database that o names.
func (c Copy) Check(o Options) error {
	into := onSQLite
	if c.Database != into {
		return fmt.Errorf("it has the data of a %s database, and this errand uses %s: restore it there", c.Database, into)
	}
	id, newest, err := newSchema(false).ID(false)
	switch {
	case err != nil:
		return err
	case id != c.Schema:
		return ErrOtherSchema
	case c.Version > newest:
		return fmt.Errorf("%w: its schema is version %d, and this program knows %d: use a newer errand", ErrOtherSchema, c.Version, newest)
	}
	return nil
}

// ReadCopy makes the database that o names from a copy in dir, and marks it as restored.
func (c Copy) ReadCopy(ctx context.Context, o Options, dir string) error {
	o.SQLite = filepath.Join(dir, File)
	s, err := Open(ctx, o)
	if err != nil {
		return err
	}
	return errors.Join(s.write(ctx, "", (*tx).markRestored), s.db.TruncateLog(ctx), s.Close())
}
