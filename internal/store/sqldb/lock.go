package sqldb

import (
	"context"
	"database/sql"
	"fmt"
)

// PostgreSQL's advisory locks belong to the database. So the schema is part of each lock:
// installations in two schemas of one database never wait for each other.
const (
	// lockKey locks a key until the end of the transaction.
	lockKey = `SELECT pg_advisory_xact_lock(hashtextextended(CONCAT(current_schema(), '/', CAST(? AS TEXT)), 0))`
	// lockSchema locks what creates tables and changes them, likewise.
	lockSchema = `SELECT pg_advisory_xact_lock(hashtextextended(CONCAT(current_schema(), '/', 'schema'), 0))`
)

// LockKey has a transaction on PostgreSQL, which need not be of a [DB], hold the lock of
// a key, as [DB.Write] does.
func LockKey(ctx context.Context, tx *sql.Tx, key string) error {
	if _, err := tx.ExecContext(ctx, numbered(lockKey), key); err != nil {
		return fmt.Errorf("lock %s: %w", key, err)
	}
	return nil
}
