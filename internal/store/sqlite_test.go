package store_test

import (
	"context"
	"maps"
	"strings"
	"sync"
	"testing"

	"errand/internal/store"
	"errand/internal/test/storetest"
)

// TestSQLite proves the promises of a store on SQLite, and that no transaction of
// what the suite does reads a whole table: what it costs would grow with everything
// that was ever said. A partial index that a query does not quite ask for fails
// silently otherwise.
func TestSQLite(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	found := map[string]string{}
	t.Run("suite", func(t *testing.T) {
		storetest.Run(t, func(t testing.TB, o store.Options) *store.Store {
			var ran sync.Map // a set of queries
			o.TraceTx = func(query string) { ran.Store(query, nil) }
			s := openSQLite(t, o)
			ran.Clear() // opening runs some that no transaction repeats
			t.Cleanup(func() {
				var queries []string
				for query := range ran.Range {
					queries = append(queries, query.(string))
				}
				scans := store.Scans(context.Background(), s, queries)
				mu.Lock()
				defer mu.Unlock()
				maps.Copy(found, scans)
			})
			return s
		})
	})
	for query, how := range found {
		if bounded(how) {
			continue
		}
		t.Errorf("%s\n\t%s", how, query)
	}
}

// bounded reports whether what is read has few rows, whatever was ever said: the
// workers, MCP servers, what is being sent now, a thousand refusals, a day's requests to be let in, a LIMIT.
func bounded(how string) bool {
	for _, few := range []string{"SCAN refusals", "SCAN pairings", "SCAN workers", "SCAN older", "INDEX outbox_sending", "SCAN mcp_servers", "VALUES CLAUSE"} {
		if strings.Contains(how, few) {
			return true
		}
	}
	return false
}
