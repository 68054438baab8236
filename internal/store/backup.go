package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// File is the name of the store's file in the data folder, and in a copy.
const File = "errand.db"

// DevicesFile is the name of the database with WhatsApp's devices: see [Store.Extra].
const DevicesFile = "whatsapp.db"

// A Copy describes a consistent copy of a store's data: see [WriteCopy].
type Copy struct {
	Database Kind      `json:"database"` // only the same kind can read it
	Schema   string    `json:"schema"`   // the tables' fingerprint
	Version  int       `json:"version"`  // the last migration that has run
	Made     time.Time `json:"made"`     // by the database's clock
	// LeftOut counts the rows with secrets that were left out, by table.
	LeftOut map[string]int64 `json:"left_out,omitempty"`
	Tables  []sqldb.Table    `json:"tables,omitempty"` // of PostgreSQL, in the order of their creation
}

// Moment returns for people when the copy was made.
func (c Copy) Moment() string { return c.Made.Format(time.DateTime) + " UTC" }

// A Kind is a kind of database.
type Kind string

const (
	SQLite     Kind = "SQLite"
	PostgreSQL Kind = "PostgreSQL"
)

func (o Options) kind() Kind {
	if o.PostgreSQL != "" {
		return PostgreSQL
	}
	return SQLite
}

// secrets are what a copy leaves out: what lets its reader act as a person or as the installation. A
// table comes before the tables that it refers to.
var secrets = []sqldb.Omission{
	{Table: "pushes", Where: "TRUE"},
	{Table: "push_subscriptions", Where: "TRUE"},
	{Table: "tokens", Where: "TRUE"},
	{Table: "webhook_keys", Where: "TRUE"},
	{Table: "a2a_pushes", Where: "TRUE"},
	{Table: "meta", Where: "key = 'push_key'"},
	{Table: "pairings", Column: "token_hash"},
	{Table: "connections", Where: "channel = 'whatsapp'"}, // what links a device
}

// isDevices reports whether a table of PostgreSQL belongs to WhatsApp's devices.
func isDevices(table string) bool {
	return strings.HasPrefix(table, "whatsmeow_") || strings.HasPrefix(table, "errand_whatsapp_")
}

// WriteCopy writes a consistent copy of the data of the database that o names to files in dir, while
// workers use it. Files and workspaces are part of it.
func WriteCopy(ctx context.Context, o Options, dir string, withSecrets bool) (c Copy, err error) {
	var made sqldb.Snapshot
	omit := secrets
	if withSecrets {
		omit = nil
	}
	if o.kind() == PostgreSQL {
		made, err = sqldb.SnapshotPostgreSQL(ctx, o.PostgreSQL, dir, omit, func(table string) bool {
			// The table with the version is filled by the program that creates the others.
			return isDevices(table) && (!withSecrets || table == "whatsmeow_version")
		})
	} else {
		made, err = sqldb.SnapshotSQLite(ctx, o.SQLite, filepath.Join(dir, File), omit)
		devices := filepath.Join(filepath.Dir(o.SQLite), DevicesFile)
		if _, missing := os.Stat(devices); err == nil && missing == nil && withSecrets {
			err = sqldb.CopySQLite(ctx, devices, filepath.Join(dir, DevicesFile))
		}
	}
	return Copy{Database: o.kind(), Schema: made.Schema, Version: made.Version, Made: made.Made.UTC(), LeftOut: made.Left, Tables: made.Tables}, err
}

// ErrOtherSchema refuses a copy of a database that this program cannot read.
var ErrOtherSchema = errors.New("another version of errand made it, with other tables")

// Check returns an error if this program cannot read the copy into the database that o names.
func (c Copy) Check(o Options) error {
	if into := o.kind(); c.Database != into {
		return fmt.Errorf("it has the data of a %s database, and errand is set to use %s: restore it into %s", c.Database, into, c.Database)
	}
	id, newest, err := c.schema().ID(c.Database == PostgreSQL)
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

func (c Copy) schema() sqldb.Schema { return newSchema(c.Database == PostgreSQL) }

// IsEmpty reports whether o names a database without data.
func (o Options) IsEmpty(ctx context.Context) (bool, error) {
	if o.kind() == PostgreSQL {
		return sqldb.IsEmptyPostgreSQL(ctx, o.PostgreSQL)
	}
	_, err := os.Stat(o.SQLite)
	if errors.Is(err, os.ErrNotExist) {
		return true, nil
	}
	return false, err
}

// HasDevices reports whether the copy has WhatsApp's devices in tables of PostgreSQL.
func (c Copy) HasDevices() bool {
	return slices.ContainsFunc(c.Tables, func(t sqldb.Table) bool { return isDevices(t.Name) })
}

// PrepareTables creates the tables of the copy in the empty PostgreSQL database that o names. On
// SQLite it does nothing.
func (c Copy) PrepareTables(ctx context.Context, o Options) error {
	if c.Database != PostgreSQL {
		return nil
	}
	schema := c.schema()
	_, newest, err := schema.ID(true)
	if err != nil {
		return err
	}
	schema.Skip = newest - c.Version // the start of errand runs them, on the data
	db, err := sqldb.Open(sqldb.Options{PostgreSQL: o.PostgreSQL, Name: "store"})
	if err != nil {
		return err
	}
	return errors.Join(db.Prepare(ctx, schema), db.Close())
}

// ReadCopy fills the prepared tables of the database that o names from a copy in dir, and marks it as
// restored by a person. Without withDevices, it leaves out the tables of WhatsApp's devices. On SQLite the
// database becomes the file in dir.
func (c Copy) ReadCopy(ctx context.Context, o Options, dir string, withDevices bool, by core.PersonID) error {
	if c.Database != PostgreSQL {
		s, err := Open(ctx, Options{SQLite: filepath.Join(dir, File), Full: true})
		if err != nil {
			return err
		}
		return errors.Join(s.write(ctx, "", func(t *tx) error { return t.markRestored(c, by) }), s.db.TruncateLog(ctx), s.Close())
	}
	tables := slices.DeleteFunc(slices.Clone(c.Tables), func(t sqldb.Table) bool { return isDevices(t.Name) && !withDevices })
	return sqldb.LoadPostgreSQL(ctx, o.PostgreSQL, dir, tables, idGap, restoredStatements(serverMicros, c, by))
}
