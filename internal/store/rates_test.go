package store_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/limit"
	"errand/internal/store"
)

// TestTwoWorkersShareLimits proves that two workers with stores of their own on one
// database let a person through as often as one would, and know of each other's pauses.
func TestTwoWorkersShareLimits(t *testing.T) {
	address := schema(t)
	now := time.Now()
	clock := func() time.Time { return now }
	var stores []*store.Store
	var workers []*limit.Limiter
	for range 2 {
		s := openAt(t, store.Options{PostgreSQL: address, Now: clock})
		require.True(t, s.Shared())
		stores = append(stores, s)
		workers = append(workers, &limit.Limiter{Now: clock, Rows: s})
	}
	passed := 0
	for n := range 60 {
		if workers[n%2].Allow(&limit.Tokens{}, limit.PerMinute("ada", 20), limit.PerMinute("account", 600)) == 0 {
			passed++
		}
	}
	require.Equal(t, 20, passed)
	require.NoError(t, stores[0].PauseProvider(t.Context(), "x", 30*time.Second))
	_, paused, err := stores[1].SharedLimits(t.Context())
	require.NoError(t, err)
	require.Equal(t, map[string]time.Duration{"x": 30 * time.Second}, paused)
}
