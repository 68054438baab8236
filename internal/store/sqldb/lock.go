package sqldb

import (
	"context"
	"database/sql"
	"fmt"
)

// lockKey locks a key until the end of the transaction. PostgreSQL's advisory locks are
// of the database, so the schema is part of it: installations in two schemas of one
// database never wait for each other.
//
// Workers used to lock the key alone. While they are replaced one after the other, those
// of both kinds wait for each other, for the new ones share that lock, which an old one
// takes for itself ([ADR 69]).
//
// [ADR 69]: ../../../docs/adr/0069-locks-of-one-schema.md
const lockKey = `SELECT pg_advisory_xact_lock_shared(hashtextextended(?, 0)),
	pg_advisory_xact_lock(hashtextextended(CONCAT(current_schema(), '/', CAST(? AS TEXT)), 0))`

// lockMigrations is the lock under which goose changes a schema.
const lockMigrations = `SELECT hashtextextended(CONCAT(current_schema(), '/', 'migrations'), 0)`

// LockKey has a transaction on PostgreSQL, which need not be of a [DB], hold the lock of
// a key, as [DB.Write] does.
func LockKey(ctx context.Context, tx *sql.Tx, key string) error {
	if _, err := tx.ExecContext(ctx, numbered(lockKey), key, key); err != nil {
		return fmt.Errorf("lock %s: %w", key, err)
	}
	return nil
}
