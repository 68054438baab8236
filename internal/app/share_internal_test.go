package app

import (
	"bytes"
	"cmp"
	"context"
	"log/slog"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/test/storetest"
)

// TestPausesAreToldUntilStop proves that the other workers are told of every pause that
// providers asked for before this worker stops, of the longest of each, and that what a
// late call asks for goes to no store that is closed.
func TestPausesAreToldUntilStop(t *testing.T) {
	address := cmp.Or(os.Getenv("ERRAND_TEST_APP_POSTGRES"), os.Getenv("ERRAND_TEST_POSTGRES"))
	if address == "" {
		t.Skip("ERRAND_TEST_POSTGRES is not set")
	}
	address = storetest.Schema(t, address)
	open := func() *store.Store {
		s, err := store.Open(t.Context(), store.Options{PostgreSQL: address})
		require.NoError(t, err)
		return s
	}
	other := open()
	defer other.Close()
	var log bytes.Buffer
	a := &App{Store: open(), llm: new(llm.Client), log: slog.New(slog.NewTextHandler(&log, nil))}
	a.stopWith(func(context.Context) { a.Store.Close() })
	a.shareLimits()
	a.pauseProvider("one", time.Hour)
	a.pauseProvider("two", 2*time.Hour)
	a.pauseProvider("two", time.Minute)
	a.Stop(t.Context())
	_, paused, err := other.SharedLimits(t.Context())
	require.NoError(t, err)
	require.Len(t, paused, 2)
	require.Greater(t, paused["one"], 59*time.Minute)
	require.Greater(t, paused["two"], 119*time.Minute)
	a.pauseProvider("late", time.Hour)
	a.serving.Wait()
	require.Empty(t, log.String())
}
