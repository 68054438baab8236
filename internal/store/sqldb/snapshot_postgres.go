package sqldb

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// A Table is a table of a snapshot of PostgreSQL. Its rows are in a file with its name.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"` // in the order of the file
}

// schemaTable is not part of a snapshot: Prepare writes it.
const schemaTable = "errand_schema"

func connect(ctx context.Context, address string) (*pgx.Conn, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, errors.New("the address of the PostgreSQL database cannot be read") // err has the password
	}
	return pgx.ConnectConfig(ctx, limited(config, unlimited))
}

// SnapshotPostgreSQL writes a copy of the tables of a schema to files in dir, the referenced tables
// before those that refer to them, as of one moment.
func SnapshotPostgreSQL(ctx context.Context, address, dir string, leaveOut []Omission, skip func(table string) bool) (s Snapshot, err error) {
	conn, err := connect(ctx, address)
	if err != nil {
		return s, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	tx, err := conn.BeginTx(ctx, pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly})
	if err != nil {
		return s, err
	}
	defer func() { _ = tx.Rollback(context.WithoutCancel(ctx)) }()
	if err := tx.QueryRow(ctx, `SELECT made_by, version, clock_timestamp() FROM errand_schema`).Scan(&s.Schema, &s.Version, &s.Made); err != nil {
		return s, err
	}
	if s.Tables, err = tablesOf(ctx, tx, skip); err != nil {
		return s, err
	}
	s.Left = map[string]int64{}
	for _, table := range s.Tables {
		if err := dump(ctx, tx, table, dir, leaveOut, s.Left); err != nil {
			return s, fmt.Errorf("copy the table %s: %w", table.Name, err)
		}
	}
	return s, nil
}

// tablesOf lists the tables as they were created. A table refers only to older ones.
func tablesOf(ctx context.Context, tx pgx.Tx, skip func(string) bool) ([]Table, error) {
	rows, err := tx.Query(ctx, `SELECT c.relname, array_agg(a.attname::text ORDER BY a.attnum) FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
		GROUP BY c.oid, c.relname ORDER BY c.oid`)
	if err != nil {
		return nil, err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Table])
	return slices.DeleteFunc(tables, func(t Table) bool { return t.Name == schemaTable || skip(t.Name) }), err
}

func dump(ctx context.Context, tx pgx.Tx, table Table, dir string, leaveOut []Omission, left map[string]int64) error {
	columns, where := quoted(table.Columns), "TRUE"
	for _, o := range leaveOut {
		switch {
		case o.Table != table.Name:
		case o.Column != "":
			columns[slices.Index(table.Columns, o.Column)] = `''`
		default:
			where = "NOT (" + o.Where + ")"
			var n int64
			if err := tx.QueryRow(ctx, `SELECT COUNT(*) FROM `+table.quoted()+` WHERE `+o.Where).Scan(&n); err != nil {
				return err
			}
			if n > 0 {
				left[table.Name] = n
			}
		}
	}
	f, err := os.OpenFile(filepath.Join(dir, table.Name), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = tx.Conn().PgConn().CopyTo(ctx, f, fmt.Sprintf(`COPY (SELECT %s FROM %s WHERE %s) TO STDOUT`, strings.Join(columns, ", "), table.quoted(), where))
	return errors.Join(err, f.Close())
}

func quoted(names []string) []string {
	list := make([]string, len(names))
	for i, name := range names {
		list[i] = pgx.Identifier{name}.Sanitize()
	}
	return list
}

func (t Table) quoted() string { return pgx.Identifier{t.Name}.Sanitize() }

// IsEmptyPostgreSQL reports whether a schema has no tables, or only those that a killed restoration
// left without rows.
func IsEmptyPostgreSQL(ctx context.Context, address string) (bool, error) {
	conn, err := connect(ctx, address)
	if err != nil {
		return false, err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var tables, prepared int
	if err := conn.QueryRow(ctx, `SELECT COUNT(*), COUNT(*) FILTER (WHERE tablename = 'meta') FROM pg_tables WHERE schemaname = current_schema()`).Scan(&tables, &prepared); err != nil {
		return false, err
	}
	if prepared > 0 {
		err = conn.QueryRow(ctx, `SELECT COUNT(*) FROM meta`).Scan(&tables)
	}
	return tables == 0, err
}

// LoadPostgreSQL fills prepared tables from files in dir, in one transaction that then runs the
// statements. New ids begin idGap after the highest.
func LoadPostgreSQL(ctx context.Context, address, dir string, tables []Table, idGap int64, statements []string) error {
	conn, err := connect(ctx, address)
	if err != nil {
		return err
	}
	defer conn.Close(context.WithoutCancel(ctx))
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		for _, table := range tables {
			if err := load(ctx, tx, table, dir); err != nil {
				return fmt.Errorf("fill the table %s: %w", table.Name, err)
			}
		}
		if err := skipIDs(ctx, tx, idGap); err != nil {
			return err
		}
		for _, query := range statements {
			if _, err := tx.Exec(ctx, query); err != nil {
				return fmt.Errorf("%s: %w", firstWords(query), err)
			}
		}
		return nil
	})
}

func load(ctx context.Context, tx pgx.Tx, table Table, dir string) error {
	f, err := os.Open(filepath.Join(dir, table.Name))
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = tx.Conn().PgConn().CopyFrom(ctx, f, fmt.Sprintf(`COPY %s (%s) FROM STDIN`, table.quoted(), strings.Join(quoted(table.Columns), ", ")))
	return err
}

func skipIDs(ctx context.Context, tx pgx.Tx, gap int64) error {
	rows, err := tx.Query(ctx, `SELECT c.relname, ARRAY[a.attname::text] FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
		WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND a.attidentity <> ''`)
	if err != nil {
		return err
	}
	identities, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Table])
	if err != nil {
		return err
	}
	for _, t := range identities {
		query := fmt.Sprintf(`SELECT setval(pg_get_serial_sequence($1, $2), (SELECT COALESCE(MAX(%s), 0) + $3 FROM %s))`, quoted(t.Columns)[0], t.quoted())
		if _, err := tx.Exec(ctx, query, t.quoted(), t.Columns[0], gap); err != nil {
			return err
		}
	}
	return nil
}
