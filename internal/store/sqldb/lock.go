package sqldb

import (
	"context"
	"database/sql"
	"fmt"
)

// PostgreSQL's advisory locks belong to the whole database. The schema is part of each lock, so
// that installations in two schemas never wait for each other.
const (
	// lockKey locks a key until the end of the transaction.
	lockKey    = `SELECT pg_advisory_xact_lock(hashtextextended(CONCAT(current_schema(), '/', CAST(? AS TEXT)), 0))`
	lockSchema = `SELECT pg_advisory_xact_lock(hashtextextended(CONCAT(current_schema(), '/', 'schema'), 0))`
)

// LockKey locks a key as [DB.Write] does, in a transaction of any connection.
func LockKey(ctx context.Context, tx *sql.Tx, key string) error {
	if _, err := tx.ExecContext(ctx, numbered(lockKey), key); err != nil {
		return fmt.Errorf("lock %s: %w", key, err)
	}
	return nil
}
