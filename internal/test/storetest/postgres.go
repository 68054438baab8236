package storetest

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/store/sqldb"
)

// Schema makes an empty schema in the PostgreSQL database at address and returns
// the address with which it is the whole database. It goes with the test.
func Schema(t testing.TB, address string) string {
	t.Helper()
	whole, drop, err := sqldb.MakeSchema(t.Context(), address, "errand")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, drop(context.WithoutCancel(t.Context()))) })
	return whole
}

// Schemas are schemas in a PostgreSQL database that tests use one after the other, each as
// an empty store. Creating the tables takes longer than most tests.
type Schemas struct {
	database string
	mu       sync.Mutex
	free     []pooledSchema
}

type pooledSchema struct {
	address string // with which it is the whole database
	drop    func(context.Context) error
}

// NewSchemas makes schemas in the database at address as they are needed. They go with t,
// whose subtests take them.
func NewSchemas(t testing.TB, address string) *Schemas {
	t.Helper()
	p := &Schemas{database: address}
	t.Cleanup(func() {
		for _, s := range p.free {
			require.NoError(t, s.drop(context.WithoutCancel(t.Context())))
		}
	})
	return p
}

// Take returns the address of one that is empty, with or without the tables of a store. It
// comes back with the end of the test, which has closed what it opened by then.
func (p *Schemas) Take(t testing.TB) string {
	t.Helper()
	s, ok := p.used()
	if !ok {
		var err error
		s.address, s.drop, err = sqldb.MakeSchema(t.Context(), p.database, "errand")
		require.NoError(t, err)
	}
	t.Cleanup(func() {
		require.NoError(t, empty(context.WithoutCancel(t.Context()), s.address))
		p.mu.Lock()
		defer p.mu.Unlock()
		p.free = append(p.free, s)
	})
	return s.address
}

func (p *Schemas) used() (s pooledSchema, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(p.free)
	if n == 0 {
		return s, false
	}
	s, p.free = p.free[n-1], p.free[:n-1]
	return s, true
}

// empty deletes all rows of the tables of a store, and has their numbers begin anew.
func empty(ctx context.Context, address string) error {
	db, err := sql.Open("pgx", address)
	if err != nil {
		return err
	}
	_, err = db.ExecContext(ctx, `
DO $$
DECLARE
	name text;
	has boolean;
BEGIN
	FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'errand_schema' LOOP
		EXECUTE format('SELECT EXISTS (SELECT FROM %I)', name) INTO has;
		IF has THEN
			EXECUTE format('TRUNCATE %I CASCADE', name);
		END IF;
	END LOOP;
	PERFORM setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
	FROM pg_sequences WHERE schemaname = current_schema() AND last_value IS NOT NULL;
END $$`)
	return errors.Join(err, db.Close())
}
