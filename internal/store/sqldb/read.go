package sqldb

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/uptrace/bun"
)

// A Querier is a [Tx] or a [Reader]. Queries for both are written once, against it.
type Querier interface {
	Query(query string, args ...any) (*sql.Rows, error)
	All(dest any, query string, args ...any) error
	Row(dest any, query string, args ...any) (bool, error)
	Value(dest any, query string, args ...any) (bool, error)
}

// A Reader reads outside of transactions, on connections that writers do not block.
type Reader struct {
	ctx context.Context
	d   *DB
}

// Read returns a Reader that uses ctx.
func (d *DB) Read(ctx context.Context) Reader { return Reader{ctx, d} }

// Query runs a query. The caller must close the rows.
func (r Reader) Query(query string, args ...any) (*sql.Rows, error) {
	rows, err := r.d.reader.QueryContext(r.ctx, r.d.text(query), args...)
	if err != nil {
		return nil, r.d.Explain(fmt.Errorf("%s: %w", firstWords(query), err))
	}
	return rows, nil
}

// All reads every row into dest, a pointer to a slice.
func (r Reader) All(dest any, query string, args ...any) error {
	return scanAll(r.ctx, r, r.d.rows, dest, query, args)
}

// Row reads the first row into dest, a pointer to a struct of columns; false without a row.
func (r Reader) Row(dest any, query string, args ...any) (bool, error) {
	return scanRow(r.ctx, r, r.d.rows, dest, query, args)
}

// Value reads the first column of the first row; false without a row.
func (r Reader) Value(dest any, query string, args ...any) (bool, error) {
	return scanValue(r, dest, query, args)
}

// Scan reads the current row of rows into dest, a pointer to a struct of columns.
func (r Reader) Scan(rows *sql.Rows, dest any) error { return r.d.rows.ScanRow(r.ctx, rows, dest) }

func scanAll(ctx context.Context, q Querier, db *bun.DB, dest any, query string, args []any) error {
	rows, err := q.Query(query, args...)
	if err != nil {
		return err
	}
	return db.ScanRows(ctx, rows, dest) // closes rows
}

func scanRow(ctx context.Context, q Querier, db *bun.DB, dest any, query string, args []any) (bool, error) {
	rows, err := q.Query(query, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return false, rows.Err()
	}
	if err := db.ScanRow(ctx, rows, dest); err != nil {
		return false, err
	}
	return true, rows.Close()
}

func scanValue(q Querier, dest any, query string, args []any) (bool, error) {
	rows, err := q.Query(query, args...)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	if !rows.Next() {
		return false, rows.Err()
	}
	if err := rows.Scan(dest); err != nil {
		return false, err
	}
	return true, rows.Close()
}
