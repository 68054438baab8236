package activities

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/store"
)

// Work of another store is refused, and that is said as a warning: nobody answers
// it. It is not said for every attempt.
func TestWorkOfAnotherStoreIsReported(t *testing.T) {
	k := newThinker(t, core.MasterAdmin, store.Limits{})
	var log bytes.Buffer
	k.change(func(d *Deps) {
		d.Logger = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn}))
	})
	for range 3 {
		require.Error(t, k.Thinker.at("another"))
	}
	require.NoError(t, k.Thinker.at(k.Store.ID()))
	require.Equal(t, 1, strings.Count(log.String(), "work of another store"), log.String())
	require.Contains(t, log.String(), "store=another")
}
