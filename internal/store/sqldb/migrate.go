package sqldb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/pressly/goose/v3"
	"github.com/pressly/goose/v3/lock"
)

// Migrate brings the schema up to date. files has the migrations of both databases, in
// the folders sqlite and postgres. A schema that is newer than they are is refused and
// not touched. Several processes may do it at once.
func (d *DB) Migrate(ctx context.Context, files fs.FS) error {
	return d.Explain(d.applyMigrations(ctx, files))
}

func (d *DB) applyMigrations(ctx context.Context, files fs.FS) (err error) {
	db, done, err := d.schemaDB()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	dialect, folder := goose.DialectSQLite3, "sqlite"
	var opts []goose.ProviderOption
	if d.postgres {
		dialect, folder = goose.DialectPostgres, "postgres"
		// Several processes may start at the same moment.
		var id int64
		if err := db.QueryRowContext(ctx, lockMigrations).Scan(&id); err != nil {
			return err
		}
		locker, err := lock.NewPostgresSessionLocker(lock.WithLockID(id))
		if err != nil {
			return err
		}
		opts = append(opts, goose.WithSessionLocker(locker))
	}
	files, err = fs.Sub(files, folder)
	if err != nil {
		return err
	}
	p, err := goose.NewProvider(dialect, db, files, append(opts, goose.WithVerbose(false))...)
	if err != nil {
		return err
	}
	have, want, err := p.GetVersions(ctx)
	if err != nil {
		return err
	}
	if have > want {
		return fmt.Errorf("its schema is version %d and this program knows %d: it was made by a newer %s", have, want, d.opened.Program)
	}
	if have == want {
		return nil
	}
	if _, err := p.Up(ctx); err != nil {
		return fmt.Errorf("bring the schema up to date: %w", err)
	}
	return nil
}
