//go:build !nodevserver

package devserver

import (
	"bytes"
	"errors"
	"log/slog"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
)

// What nobody can do anything about is kept for who looks for it; all else is a
// warning, and so is the same message for another reason.
func TestNoise(t *testing.T) {
	for _, c := range []struct {
		name string
		warn func(log.Logger)
		want string
	}{
		{"a page of the Web UI", func(l log.Logger) { l.Warn("GetHistory page size is larger than threshold") }, "DEBUG"},
		{"a stranger", func(l log.Logger) { l.Error("Authorization error", tag.Error(errors.New("Request unauthorized."))) }, "DEBUG"},
		{"another task", func(l log.Logger) { log.With(l, tag.Error(errors.New("disk full"))).Warn("Fail to process task") }, "WARN"},
		{"another authorization error", func(l log.Logger) { l.Error("Authorization error", tag.Error(errors.New("broken"))) }, "ERROR"},
	} {
		var out bytes.Buffer
		handler := slog.NewTextHandler(&out, &slog.HandlerOptions{Level: slog.LevelDebug})
		c.warn(logger{to: slog.New(handler), quiet: new(atomic.Bool)})
		require.Contains(t, out.String(), "level="+c.want+" ", c.name)
	}
}
