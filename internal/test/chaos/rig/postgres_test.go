package rig

import (
	"database/sql"
	"errors"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"
)

// TestPostgresComesBack proves that a server which was killed with many connections comes
// back at once, though what served them may still be about to end.
func TestPostgresComesBack(t *testing.T) {
	pg, err := StartPostgres(PostgresOptions{})
	if errors.Is(err, ErrNoPostgres) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	defer pg.Close()
	if err := pg.Exec(t.Context(), "postgres", "SELECT 1"); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("pgx", pg.URL("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for range 100 {
		c, err := db.Conn(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.ExecContext(t.Context(), "CREATE TEMPORARY TABLE much AS SELECT repeat('x', 1000) FROM generate_series(1, 1000)"); err != nil {
			t.Fatal(err)
		}
	}
	pg.Kill()
	if err := pg.Start(); err != nil {
		t.Fatal(err)
	}
	if err := pg.Exec(t.Context(), "postgres", "SELECT 1"); err != nil {
		t.Fatal(err)
	}
}
