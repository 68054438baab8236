package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/store/sqldb"
	"errand/internal/test/storetest"
)

func openWith(t *testing.T, address string, settings map[string]string) *store.Store {
	u, err := url.Parse(address)
	require.NoError(t, err)
	q := u.Query()
	for name, value := range settings {
		q.Set(name, value)
	}
	u.RawQuery = q.Encode()
	return openAt(t, store.Options{PostgreSQL: u.String()})
}

func schema(t *testing.T) string {
	address := os.Getenv("ERRAND_TEST_POSTGRES")
	if address == "" {
		t.Skip("ERRAND_TEST_POSTGRES is not set: a URL, postgres://…, of a database where schemas may be made")
	}
	return storetest.Schema(t, address)
}

func accept(t *testing.T, ctx context.Context, s *store.Store, person core.PersonID, id string) error {
	_, err := s.Accept(ctx, store.InboxMessage{Route: core.WebRoute("main"), Person: person, Role: core.Partner, MessageID: id, Text: "hello"})
	return err
}

func keyOf(person core.PersonID) core.SessionKey {
	return core.NewSessionKey(core.WebRoute("main"), person)
}

// TestFrozenWorker proves that a worker that stands still in the middle of a
// transaction holds up its own conversation only, and that until PostgreSQL ends
// its transaction.
func TestFrozenWorker(t *testing.T) {
	address := schema(t)
	frozen := openWith(t, address, map[string]string{"idle_in_transaction_session_timeout": "1min"})
	healthy := openWith(t, address, map[string]string{"lock_timeout": "500ms"})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	account := core.Account{Channel: "telegram", Name: "main"}
	for _, p := range []core.PersonID{"ada", "bob"} {
		_, err := healthy.EnsurePerson(ctx, p, string(p), core.Partner)
		require.NoError(t, err)
		_, err = healthy.Rehydrate(ctx, keyOf(p), "nikki")
		require.NoError(t, err)
	}
	release, ended := store.Hang(ctx, frozen, string(keyOf("ada")),
		`UPDATE meta SET value = value WHERE key = 'id'`,                                                              // as a Ping that wrote a row would
		`INSERT INTO budgets (key) VALUES ('installation') ON CONFLICT (key) DO UPDATE SET calls = budgets.calls + 1`, // as a budget of all would
		`INSERT INTO inbox (session_key, channel, account, chat, message_id, revision, role, reply_to, text, created)
			VALUES ('x', 'web', 'local', 'main', 'm1', 0, '', '', '', 0)`)

	require.NoError(t, healthy.Ping(ctx))
	lasts, err := healthy.Lease(ctx, account, "healthy", time.Minute)
	require.NoError(t, err)
	require.NotZero(t, lasts)
	row, err := healthy.Current(ctx, keyOf("bob"))
	require.NoError(t, err)
	require.NoError(t, accept(t, ctx, healthy, "bob", "b1"))
	begun, err := healthy.BeginStep(ctx, store.BeginStep{
		Key: core.StepKey{Owner: core.SessionOwner(row.ID), Turn: 1, Step: 1}, Session: keyOf("bob"), Rows: store.ClaimAll, Results: true,
	})
	require.NoError(t, err)
	_, err = healthy.CommitStep(ctx, store.CommitStep{Step: begun, Text: "hi"})
	require.NoError(t, err)

	err = accept(t, ctx, healthy, "ada", "a1")
	require.ErrorContains(t, err, "it is worth another attempt", "it waits no longer than the limit")
	release()
	require.NoError(t, <-ended)

	// However long all that takes, PostgreSQL did not end the transaction meanwhile. It ends
	// the next one soon.
	ctx, cancel = context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	frozen = openWith(t, address, map[string]string{"idle_in_transaction_session_timeout": "2s"})
	release, ended = store.Hang(ctx, frozen, string(keyOf("ada")))
	require.Eventually(t, func() bool { return accept(t, ctx, healthy, "ada", "a1") == nil }, 20*time.Second, 50*time.Millisecond,
		"PostgreSQL ends the transaction that stands still")
	release()
	require.Error(t, <-ended, "the frozen worker goes on and has written nothing")
	require.NoError(t, accept(t, ctx, frozen, "ada", "a2"), "it works again")
}

// waiters is how many of an application's connections wait for the lock of a key: those
// of other tests on the same server do not count.
func waiters(ctx context.Context, db *sql.DB, app string) (n int) {
	err := db.QueryRowContext(ctx, `SELECT COUNT(*) FROM pg_locks l JOIN pg_stat_activity a USING (pid)
		WHERE a.application_name = $1 AND l.locktype = 'advisory' AND NOT l.granted`, app).Scan(&n)
	if err != nil {
		return 0
	}
	return n
}

// TestManyWait proves that transactions that wait for locks, however many, hold up
// neither what reads nor leases, readiness and stops.
func TestManyWait(t *testing.T) {
	address, app := named(t, schema(t))
	s := openWith(t, address, map[string]string{"lock_timeout": "60s"})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	other, err := sql.Open("pgx", address)
	require.NoError(t, err)
	defer other.Close()
	hold, err := other.BeginTx(ctx, nil)
	require.NoError(t, err)
	waiting, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	for i := range 3 * sqldb.WaitingConns {
		person := core.PersonID(fmt.Sprintf("p%d", i/2))
		require.NoError(t, sqldb.LockKey(ctx, hold, string(keyOf(person))))
		all.Go(func() {
			_ = accept(t, waiting, s, person, fmt.Sprint(i)) // it is given up below
		})
	}
	require.Eventually(t, func() bool {
		return waiters(ctx, other, app) >= sqldb.WaitingConns
	}, 20*time.Second, 20*time.Millisecond)

	require.NoError(t, s.Ping(ctx))
	for range 10 {
		lasts, err := s.Lease(ctx, core.Account{Channel: "telegram", Name: "main"}, "me", time.Minute)
		require.NoError(t, err)
		require.NotZero(t, lasts)
	}
	_, err = s.Connections(ctx)
	require.NoError(t, err)
	_, err = s.StopTurn(ctx, keyOf("free"), "")
	require.NoError(t, err)
	_, err = s.Deliveries(ctx, nil, store.Page{})
	require.NoError(t, err)
	require.NoError(t, ctx.Err())

	// Once the lock is gone, what waits goes on.
	require.NoError(t, hold.Rollback())
	require.Eventually(t, func() bool { return accept(t, ctx, s, "p0", "last") == nil }, 20*time.Second, 20*time.Millisecond)
	stop()
	all.Wait()
}

// TestStopsWait proves that stops of conversations that are held up leave room for
// leases.
func TestStopsWait(t *testing.T) {
	address, app := named(t, schema(t))
	s := openWith(t, address, map[string]string{"lock_timeout": "60s"})
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	other, err := sql.Open("pgx", address)
	require.NoError(t, err)
	defer other.Close()
	hold, err := other.BeginTx(ctx, nil)
	require.NoError(t, err)
	require.NoError(t, sqldb.LockKey(ctx, hold, string(keyOf("ada"))))
	var all sync.WaitGroup
	waiting, stop := context.WithCancel(ctx)
	for range 8 {
		all.Go(func() { _, _ = s.StopTurn(waiting, keyOf("ada"), "") }) // given up below
	}
	require.Eventually(t, func() bool { return waiters(ctx, other, app) > 0 }, 20*time.Second, 20*time.Millisecond)
	lasts, err := s.Lease(ctx, core.Account{Channel: "telegram", Name: "main"}, "me", time.Minute)
	require.NoError(t, err)
	require.NotZero(t, lasts)
	require.NoError(t, s.Ping(ctx))
	stop()
	all.Wait()
	require.NoError(t, hold.Rollback())
}

// TestServerClock proves that leases go by the database's clock, whatever that of a
// worker says.
func TestServerClock(t *testing.T) {
	s := openAt(t, store.Options{PostgreSQL: schema(t)})
	now, err := store.ServerNow(t.Context(), s)
	require.NoError(t, err)
	require.WithinDuration(t, time.Now(), now, time.Minute)
	behind := openAt(t, store.Options{PostgreSQL: schema(t), Now: func() time.Time { return time.Unix(1000, 0) }})
	now, err = store.ServerNow(t.Context(), behind)
	require.NoError(t, err)
	require.Equal(t, int64(1000), now.Unix(), "a clock that is given counts")
}

// TestOpenTasksOfTwoConversations proves that conversations of one person that open tasks at
// the same time open no more than the limit.
func TestOpenTasksOfTwoConversations(t *testing.T) {
	address, app := named(t, schema(t))
	s := openAt(t, store.Options{PostgreSQL: address, Limits: store.Limits{OpenTasks: 1}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	own, err := sql.Open("pgx", address)
	require.NoError(t, err)
	defer own.Close()
	_, err = own.ExecContext(ctx, fmt.Sprintf(locks, "tasks", "INSERT", "NEW.person = 'ada'"))
	require.NoError(t, err)
	held, err := own.BeginTx(ctx, nil)
	require.NoError(t, err)
	_, err = held.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtext(current_schema()))`)
	require.NoError(t, err)
	const chats = 3
	ended := make(chan error, chats)
	for i := range chats {
		route := core.WebRoute(fmt.Sprint("chat", i))
		go func() {
			_, err := s.CreateTask(ctx, core.Origin{Route: route, Person: "ada", SessionKey: core.NewSessionKey(route, "ada")},
				store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "trains"}, "")
			ended <- err
		}()
	}
	require.Eventually(t, func() bool { return waiters(ctx, own, app) == chats }, 20*time.Second, 10*time.Millisecond,
		"one stands at its commit, and the others wait for it")
	require.NoError(t, held.Rollback())
	refused := 0
	for range chats {
		if err := <-ended; err != nil {
			require.ErrorIs(t, err, store.ErrTooManyTasks)
			refused++
		}
	}
	require.Equal(t, chats-1, refused)
}
