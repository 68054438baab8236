package sqldb_test

import (
	"context"
	"database/sql"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"errand/internal/store/sqldb"
)

func address(t *testing.T) string {
	t.Helper()
	at := os.Getenv("ERRAND_TEST_POSTGRES")
	if at == "" {
		t.Skip("ERRAND_TEST_POSTGRES is not set: a URL, postgres://…, of a database where schemas may be made")
	}
	whole, drop, err := sqldb.MakeSchema(t.Context(), at, "sqldb")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, drop(context.WithoutCancel(t.Context()))) })
	return whole
}

func with(t *testing.T, address, name, value string) string {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	q := u.Query()
	q.Set(name, value)
	u.RawQuery = q.Encode()
	return u.String()
}

func TestPostgreSQL(t *testing.T) {
	suite(t, func(t *testing.T) *sqldb.DB { return open(t, sqldb.Options{PostgreSQL: address(t)}) })
}

func TestPostgreSQLSettings(t *testing.T) {
	d := open(t, sqldb.Options{PostgreSQL: address(t)})
	for name, want := range map[string]map[string]string{
		"idle_in_transaction_session_timeout": {"write": "10s", "read": "10s", "urgent": "10s", "extra": "1min", "schema": "0"},
		"lock_timeout":                        {"write": "5s", "read": "5s", "urgent": "5s", "extra": "5s", "schema": "0"},
		"statement_timeout":                   {"write": "1min", "read": "1min", "urgent": "8s", "extra": "0", "schema": "0"},
		"tcp_user_timeout":                    {"write": "20000", "read": "20000", "urgent": "20000", "extra": "20000", "schema": "20000"},
		"tcp_keepalives_idle":                 {"write": "10", "read": "10", "urgent": "10", "extra": "10", "schema": "10"},
	} {
		have, err := sqldb.Settings(t.Context(), d, name)
		require.NoError(t, err)
		require.Equal(t, want, have, name)
	}
	own := open(t, sqldb.Options{PostgreSQL: with(t, address(t), "lock_timeout", "1234ms")})
	have, err := sqldb.Settings(t.Context(), own, "lock_timeout")
	require.NoError(t, err)
	require.Equal(t, "1234ms", have["write"], "what the address says counts")
}

// TestOneKeyAtATime proves that transactions of one key run one after the other, in
// this process and in another, and that those of other keys run beside them, as do
// those that are urgent.
func TestOneKeyAtATime(t *testing.T) {
	at := with(t, address(t), "lock_timeout", "300ms")
	here, there := open(t, sqldb.Options{PostgreSQL: at}), open(t, sqldb.Options{PostgreSQL: at})
	nothing := func(*sqldb.Tx) error { return nil }
	began, release, ended := make(chan struct{}), make(chan struct{}), make(chan error, 2)
	go func() {
		ended <- here.Write(t.Context(), "a", func(*sqldb.Tx) error {
			close(began)
			<-release
			return nil
		})
	}()
	<-began
	second := false
	go func() {
		ended <- here.Write(t.Context(), "a", func(*sqldb.Tx) error {
			second = true
			return nil
		})
	}()
	require.Eventually(t, func() bool { return here.Locks().Waits >= 1 }, 20*time.Second, time.Millisecond)
	require.NoError(t, here.Write(t.Context(), "b", nothing))
	require.NoError(t, there.Write(t.Context(), "", nothing))
	require.NoError(t, here.WriteUrgent(t.Context(), "", nothing))
	require.ErrorContains(t, there.Write(t.Context(), "a", nothing), "it is worth another attempt")
	require.ErrorContains(t, here.WriteStop(t.Context(), "a", nothing), "it is worth another attempt", "it goes past those that wait, not past the one at work")
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, here.Write(canceled, "a", nothing), context.Canceled)
	require.False(t, second)
	close(release)
	require.NoError(t, <-ended)
	require.NoError(t, <-ended)
	require.True(t, second)
}

// TestManyOfOneKey proves that transactions that wait for their key, however many, keep none
// of another key waiting.
func TestManyOfOneKey(t *testing.T) {
	d := open(t, sqldb.Options{PostgreSQL: address(t)})
	hold, held := make(chan struct{}), make(chan struct{})
	var all sync.WaitGroup
	all.Go(func() {
		assert.NoError(t, d.Write(t.Context(), "a", func(*sqldb.Tx) error {
			close(held)
			<-hold
			return nil
		}))
	})
	<-held
	for range 100 {
		all.Go(func() { assert.NoError(t, d.Write(t.Context(), "a", func(*sqldb.Tx) error { return nil })) })
	}
	require.Eventually(t, func() bool { return d.Locks().Waits >= 100 }, 20*time.Second, time.Millisecond)
	brief, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	require.NoError(t, d.Write(brief, "b", func(*sqldb.Tx) error { return nil }))
	close(hold)
	all.Wait()
}

// TestServerTime proves that the time that leases go by is PostgreSQL's, unless a clock
// is given.
func TestServerTime(t *testing.T) {
	at := address(t)
	d := open(t, sqldb.Options{PostgreSQL: at})
	now, err := d.ServerTime(d.Read(t.Context()))
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), now, time.Minute)
	behind := open(t, sqldb.Options{PostgreSQL: at, Now: func() time.Time { return time.Unix(1000, 0) }})
	now, err = behind.ServerTime(behind.Read(t.Context()))
	require.NoError(t, err)
	require.Equal(t, int64(1000), now.Unix(), "a clock that is given counts")
}

// TestSchemasApart proves that two installations in two schemas of one database hold up
// neither each other's transactions nor each other's changes of the schema.
func TestSchemasApart(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	one, two := open(t, sqldb.Options{PostgreSQL: address(t)}), address(t)
	other := open(t, sqldb.Options{PostgreSQL: with(t, two, "lock_timeout", "300ms")})
	require.NoError(t, one.Write(ctx, "a", func(*sqldb.Tx) error {
		return other.Write(ctx, "a", func(*sqldb.Tx) error { return nil })
	}))

	// A worker that stands still while it changes the schema.
	whole, err := sql.Open("pgx", address(t))
	require.NoError(t, err)
	defer whole.Close()
	frozen, err := whole.Conn(ctx)
	require.NoError(t, err)
	defer frozen.Close()
	_, err = frozen.ExecContext(ctx, `BEGIN; `+sqldb.LockSchema)
	require.NoError(t, err)
	fresh, err := sqldb.Open(sqldb.Options{Name: "test", PostgreSQL: address(t)})
	require.NoError(t, err)
	defer fresh.Close()
	require.NoError(t, fresh.Prepare(ctx, schema))
}
