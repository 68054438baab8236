package store_test

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/store"
)

// TestCountsByIndex proves that what a monitor reads is counted by indexes of what is
// open, as what a message on its way in waits for is found by one, and takes a moment only where much is.
func TestCountsByIndex(t *testing.T) {
	t.Parallel()
	s := openSQLite(t, store.Options{})
	plans, err := store.CountPlans(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	for query, how := range plans {
		if !strings.Contains(how, "INDEX") {
			t.Errorf("%s\n\t%s", query, how)
		}
	}
	const open, over = 10_000, 50_000
	fill(t, s, open, over)
	best := time.Hour
	for range 5 {
		began := time.Now()
		counts, err := s.Counts(t.Context())
		best = min(best, time.Since(began))
		if err != nil || counts.OpenTasks[core.Working] != open {
			t.Fatalf("%v open tasks, %v", counts.OpenTasks, err)
		}
	}
	t.Logf("%d open tasks are counted in %s", open, best)
	if best > time.Second { // on a machine with much else to do
		t.Errorf("to count %d open tasks takes %s", open, best)
	}
}

func fill(t testing.TB, s *store.Store, open, over int) {
	t.Helper()
	task := func(from, n int, state string) {
		err := store.Exec(t.Context(), s, `WITH RECURSIVE n(i) AS (SELECT `+strconv.Itoa(from)+` UNION ALL SELECT i + 1 FROM n WHERE i < `+strconv.Itoa(from+n-1)+`)
			INSERT INTO tasks (id, state, agents, from_agent, text, title, fingerprint, origin, person, session_key, session, depth, conversation, created)
			SELECT 't-' || i, '`+state+`', 'sasha', 'nikki', hex(zeroblob(400)), 'a title', '', hex(zeroblob(200)), 'ada', 'session/web/local/main/-/ada', 's' || (i % 97), 1, 'c', i FROM n`)
		if err != nil {
			t.Fatal(err)
		}
	}
	task(1, over, "completed")
	task(over+1, open, "working")
}

// BenchmarkCounts measures what is read for a scrape of /metrics.
func BenchmarkCounts(b *testing.B) {
	s := openSQLite(b, store.Options{})
	fill(b, s, 10_000, 50_000)
	for b.Loop() {
		if _, err := s.Counts(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
