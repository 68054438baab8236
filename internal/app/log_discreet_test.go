package app

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
)

// TestLogIsDiscreet proves that the log names no chat and no sender, in what key
// and in what error they stand, but at debug.
func TestLogIsDiscreet(t *testing.T) {
	const number = "4915112345"
	for level, shown := range map[slog.Level]bool{slog.LevelInfo: false, slog.LevelWarn: false, slog.LevelDebug: true} {
		var out bytes.Buffer
		log := slog.New(newDiscreet(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level})))
		key := "session/whatsapp/main/" + number + "@s.whatsapp.net/-/p-7k3m9q2x"
		log.Warn("accepted", "channel", "whatsapp", "chat", number, "sender", number, "session", "1f0c")
		log.With("WorkflowID", key).Warn("workflow", "error", errors.New("session of "+key+": not found"))
		log.WithGroup("g").Warn("about outbox/whatsapp/main/"+number, slog.Group("in", "chat", number), "chat", number)
		if got := strings.Contains(out.String(), number); got != shown {
			t.Errorf("at %s:\n%s", level, out.String())
		}
		if !strings.Contains(out.String(), "channel=whatsapp") || !strings.Contains(out.String(), "session=1f0c") {
			t.Errorf("at %s ids are missing:\n%s", level, out.String())
		}
	}
}
