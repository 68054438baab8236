package activities

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand"
	"errand/internal/store"
)

// Work of another store is refused, and that is said as a warning: nobody answers
// it. It is not said for every attempt.
func TestWorkOfAnotherStoreIsReported(t *testing.T) {
	k := newThinker(t, errand.MasterAdmin, store.Limits{})
	var log bytes.Buffer
	k.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	for range 3 {
		require.Error(t, k.at("another"))
	}
	require.NoError(t, k.at(k.Store.ID()))
	require.Equal(t, 1, strings.Count(log.String(), "work of another store"), log.String())
	require.Contains(t, log.String(), "store=another")
}
