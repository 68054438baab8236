package store_test

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

// A walk is one person's conversation on one worker's store.
type walk struct {
	s       *store.Store
	person  core.PersonID
	session core.SessionID
	turns   int
}

func newWalk(t *testing.T, s *store.Store, person core.PersonID) *walk {
	t.Helper()
	_, err := s.EnsurePerson(t.Context(), person, string(person), core.Partner)
	require.NoError(t, err)
	r, err := s.Rehydrate(t.Context(), keyOf(person), "nikki")
	require.NoError(t, err)
	return &walk{s: s, person: person, session: r.Session}
}

func (w *walk) begin(ctx context.Context, step int) (*store.StepInput, error) {
	return w.s.BeginStep(ctx, store.BeginStep{
		Key: core.StepKey{Owner: core.SessionOwner(w.session), Turn: w.turns, Step: step}, Session: keyOf(w.person),
		Rows: store.ClaimAll, Results: true, Window: 40, Reserve: store.Reserve{Answer: 1000},
	})
}

var spent = []core.Usage{{Model: "m", Provider: "p", InputTokens: 100, OutputTokens: 10, Cost: 0.01}}

// errands is one turn: a message, a step that delegates, the sub-agent's step that ends
// the task, and the step that replies.
func (w *walk) errands(ctx context.Context) error {
	w.turns++
	if err := accept(nil, ctx, w.s, w.person, fmt.Sprintf("%s-%d", w.person, w.turns)); err != nil {
		return fmt.Errorf("accept: %w", err)
	}
	begun, err := w.begin(ctx, 1)
	if err != nil {
		return fmt.Errorf("T1: %w", err)
	}
	asked, err := w.s.CommitStep(ctx, store.CommitStep{Step: begun, Text: "I ask sasha", Usage: spent,
		Calls: []core.ToolCall{{ID: "c1", Name: "call_agent", Arguments: "{}"}}, Planned: []store.PlannedCall{{By: store.ByDelegation, Tool: "call_agent"}},
		Tasks: map[int]store.NewTask{1: {Agents: []core.AgentName{"sasha"}, Text: "trains", Waits: true}}})
	if err != nil {
		return fmt.Errorf("T2, which delegates: %w", err)
	}
	task := asked.Calls[0].Task
	sub, err := w.s.BeginStep(ctx, store.BeginStep{Key: core.StepKey{Owner: core.SubAgentOwner(task, "sasha"), Turn: 1, Step: 1}, Reserve: store.Reserve{Answer: 1000}})
	if err != nil {
		return fmt.Errorf("T1 of the sub-agent: %w", err)
	}
	if _, err := w.s.CommitStep(ctx, store.CommitStep{Step: sub, Text: "two trains", Usage: spent}); err != nil {
		return fmt.Errorf("T2 of the sub-agent: %w", err)
	}
	if begun, err = w.begin(ctx, 2); err != nil {
		return fmt.Errorf("T1 of the reply: %w", err)
	}
	if _, err := w.s.CommitStep(ctx, store.CommitStep{Step: begun, Text: "there are two", Usage: spent}); err != nil {
		return fmt.Errorf("T2 of the reply: %w", err)
	}
	return nil
}

func named(t *testing.T, address string) (with, name string) {
	t.Helper()
	u, err := url.Parse(address)
	require.NoError(t, err)
	name = fmt.Sprintf("contention-%d", time.Now().UnixNano())
	q := u.Query()
	q.Set("application_name", name)
	u.RawQuery = q.Encode()
	return u.String(), name
}

// locks are of a table at whose commit ada's transactions wait, with all that they lock.
const locks = `CREATE FUNCTION %[1]s_hold() RETURNS trigger LANGUAGE plpgsql AS
	$$ BEGIN PERFORM pg_advisory_xact_lock(hashtext(TG_TABLE_SCHEMA)); RETURN NULL; END $$;
	CREATE CONSTRAINT TRIGGER %[1]s_hold AFTER %[2]s ON %[1]s DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW WHEN (%[3]s) EXECUTE FUNCTION %[1]s_hold()`

// TestPeopleDoNotWaitForEachOther proves that T1 and T2 of different people, and of
// their sub-agents, lock nothing in common: while one person's transaction stands at its
// commit, on one worker, another's whole turn runs on the other.
func TestPeopleDoNotWaitForEachOther(t *testing.T) {
	for name, hold := range map[string]struct{ table, event, when string }{
		"T1":                  {"turns", "INSERT", "NEW.person = 'ada'"},
		"T2, which delegates": {"tasks", "INSERT", "NEW.person = 'ada'"},
		"T2 of the sub-agent": {"tasks", "UPDATE", "NEW.person = 'ada' AND NEW.state = 'completed'"},
		"T2, which replies":   {"turns", "UPDATE", "NEW.person = 'ada' AND NOT NEW.open"},
		"a message":           {"inbox", "INSERT", "NEW.session_key LIKE '%/ada'"},
	} {
		t.Run(name, func(t *testing.T) {
			address, app := named(t, schema(t))
			one := openWith(t, address, nil)
			two := openWith(t, address, map[string]string{"lock_timeout": "1s"})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			ada, bob := newWalk(t, one, "ada"), newWalk(t, two, "bob")
			require.NoError(t, bob.errands(ctx))

			own, err := sql.Open("pgx", address)
			require.NoError(t, err)
			defer own.Close()
			_, err = own.ExecContext(ctx, fmt.Sprintf(locks, hold.table, hold.event, hold.when))
			require.NoError(t, err)
			held, err := own.BeginTx(ctx, nil)
			require.NoError(t, err)
			_, err = held.ExecContext(ctx, `SELECT pg_advisory_xact_lock(hashtext(current_schema()))`)
			require.NoError(t, err)
			ended := make(chan error, 1)
			go func() { ended <- ada.errands(ctx) }()
			require.Eventually(t, func() bool {
				var n int
				err := own.QueryRowContext(ctx, `SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'advisory'`, app).Scan(&n)
				return err == nil && n == 1
			}, 30*time.Second, 10*time.Millisecond, "ada's transaction stands at its commit")
			require.NoError(t, bob.errands(ctx), "another's turn")
			require.NoError(t, held.Rollback())
			require.NoError(t, <-ended, "and hers goes on")
		})
	}
}

// lockWaits are the waits of an application's connections for locks that its own
// transactions hold. By pg_locks: pg_stat_activity may have a query from just before the
// wait beside it.
//
// Rows and keys are locked by transactions only. A table, or anything else, may be locked
// by autovacuum, too: such a wait counts where the application holds what is waited for.
// Never counted is what waits for PostgreSQL's own: extend, for a page that a table grows
// by, and the lock under which notices are put in order. They are sent after the commit,
// by a goroutine that no step waits for; the lock is the whole server's, so it may be
// another database that holds it.
const lockWaits = `SELECT CONCAT_WS(' ', l.locktype, l.mode, l.relation::regclass)
	FROM pg_locks l JOIN pg_stat_activity a USING (pid)
	WHERE a.application_name = $1 AND NOT l.granted AND l.locktype <> 'extend'
		AND NOT (l.locktype = 'object' AND l.classid = 'pg_database'::regclass AND l.objid = 0)
		AND (l.locktype IN ('advisory', 'tuple', 'transactionid', 'spectoken') OR EXISTS (
			SELECT 1 FROM unnest(pg_blocking_pids(l.pid)) blocker JOIN pg_stat_activity b ON b.pid = blocker WHERE b.application_name = $1))`

// TestNoLockWaits proves that under load no transaction of one person waits for a lock
// of another's, on two workers: nothing that all of them write is left.
func TestNoLockWaits(t *testing.T) {
	address, app := named(t, schema(t))
	stores := []*store.Store{openWith(t, address, nil), openWith(t, address, nil)}
	own, err := sql.Open("pgx", address)
	require.NoError(t, err)
	defer own.Close()
	const people, turns = 12, 15
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	var all sync.WaitGroup
	errs := make([]error, people)
	for i := range people {
		w := newWalk(t, stores[i%len(stores)], core.PersonID(fmt.Sprint("p", i)))
		all.Go(func() {
			for range turns {
				if errs[i] = w.errands(ctx); errs[i] != nil {
					return
				}
			}
		})
	}
	done := make(chan struct{})
	go func() { defer close(done); all.Wait() }()
	began, samples, waits := time.Now(), 0, map[string]int{}
	for running := true; running; {
		select {
		case <-done:
			running = false
		case <-time.After(5 * time.Millisecond):
		}
		rows, err := own.QueryContext(ctx, lockWaits, app)
		require.NoError(t, err)
		for rows.Next() {
			var wait string
			require.NoError(t, rows.Scan(&wait))
			waits[wait]++
		}
		require.NoError(t, rows.Err())
		samples++
	}
	for _, err := range errs {
		require.NoError(t, err)
	}
	t.Logf("%d steps in %s, %d samples", 3*people*turns, time.Since(began).Round(time.Millisecond), samples)
	for wait, n := range waits {
		t.Errorf("%d times something waits for a lock: %s", n, wait)
	}
}
