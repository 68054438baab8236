package storetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/store"
)

var providers = map[string]func(*testing.T, Opener){
	"a provider that asked for a pause is known to all, until it is over": func(t *testing.T, open Opener) {
		now := monday
		s := open(t, store.Options{Now: func() time.Time { return now }})
		is := func(workers int, want map[string]time.Duration) {
			t.Helper()
			n, paused, err := s.SharedLimits(t.Context())
			require.NoError(t, err)
			require.Equal(t, workers, n)
			require.Equal(t, want, paused)
		}
		is(0, map[string]time.Duration{})
		_, err := s.RegisterWorker(t.Context(), worker("a"), cluster, false)
		require.NoError(t, err)
		renew(t, s, "b")
		require.NoError(t, s.PauseProvider(t.Context(), "x", 30*time.Second))
		require.NoError(t, s.PauseProvider(t.Context(), "x", 10*time.Second), "a shorter one")
		is(2, map[string]time.Duration{"x": 30 * time.Second})
		now = now.Add(20 * time.Second)
		is(2, map[string]time.Duration{"x": 10 * time.Second})
		require.NoError(t, s.PauseProvider(t.Context(), "x", 30*time.Second))
		now = now.Add(10 * time.Second)
		is(0, map[string]time.Duration{"x": 20 * time.Second}) // neither worker has renewed
		now = now.Add(20 * time.Second)
		is(0, map[string]time.Duration{})
	},
}
