package sqldb

import (
	"context"
	"database/sql"
	"strconv"
)

// LimitSize lets the database grow no further, as a full disk does, until the
// function it returns is called.
func LimitSize(d *DB) func() {
	set := func(pages int) {
		var n int
		// No statement of a transaction: there is one connection.
		if err := d.writer.QueryRow(`PRAGMA page_count`).Scan(&n); err != nil {
			panic(err)
		}
		if pages == 0 {
			n = 1 << 30
		}
		if _, err := d.writer.Exec(`PRAGMA max_page_count = ` + strconv.Itoa(n)); err != nil {
			panic(err)
		}
	}
	set(1)
	return func() { set(0) }
}

// Settings returns a setting of the connections of each pool.
func Settings(ctx context.Context, d *DB, name string) (map[string]string, error) {
	schema, done, err := d.schemaDB()
	if err != nil {
		return nil, err
	}
	defer done()
	extra, _, err := d.Extra(ctx, "x")
	if err != nil {
		return nil, err
	}
	out := map[string]string{}
	for pool, db := range map[string]*sql.DB{"write": d.writer, "read": d.reader, "urgent": d.urgent, "schema": schema, "extra": extra} {
		var value string
		if err := db.QueryRowContext(ctx, "SHOW "+name).Scan(&value); err != nil {
			return nil, err
		}
		out[pool] = value
	}
	return out, nil
}

// LockSchema takes the lock under which a schema is created and changed.
const LockSchema = lockSchema

// KeepsStatements reports whether the connections that write and those that read keep their statements.
func KeepsStatements(d *DB) bool {
	return Kept(d.writer.Driver()) && Kept(d.reader.Driver())
}
