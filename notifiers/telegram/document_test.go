package telegram_test

import (
	"bytes"
	"strings"
	"testing"

	"errand/internal/core"
	platform "errand/internal/test/sim/telegram"
	"errand/notifiers"
)

// TestSendsFile proves that a file arrives as a document under its name, with its text;
// that one whose end was not seen is repeated with a mark, and that a full house waits.
func TestSendsFile(t *testing.T) {
	r := newRig(t)
	data := bytes.Repeat([]byte{0, 1, 2, 255}, 3_000_000) // 12 MB
	n := r.note("k", "Here is **the plan**.")
	n.Event, n.File = core.EventFile, &core.SentFile{Name: "Zürich plan.bin", Type: "application/octet-stream", Size: int64(len(data)), Data: data}
	receipt, err := r.Notify(t.Context(), n)
	if err != nil || len(receipt.IDs) != 1 {
		t.Fatal(receipt, err)
	}
	r.server.Order("sendDocument", platform.Fault{Kind: platform.TooMany, RetryAfter: 7})
	if _, err := r.Notify(t.Context(), n); sendError(t, err).Outcome != notifiers.NotSent || sendError(t, err).RetryAfter == 0 {
		t.Fatal(err)
	}
	n.Repeated, n.Text = true, strings.Repeat("long ", 300)
	r = newRig(t)
	n.Route = r.note("k", "").Route
	r.server.Order("sendDocument", platform.Fault{Kind: platform.DieAfter})
	if _, err := r.Notify(t.Context(), n); sendError(t, err).Outcome != notifiers.Unknown {
		t.Fatal(err)
	}
	lines := r.server.Lines(r.chat)
	if len(lines) != 1 || lines[0].File != "Zürich plan.bin" || !bytes.Equal(lines[0].Data, data) || !strings.HasPrefix(lines[0].Text, core.Repeating+"\nlong long") {
		t.Fatalf("Ana sees %d messages, %.80q with the file %q of %d bytes", len(lines), lines[0].Text, lines[0].File, len(lines[0].Data))
	}
	if _, ok, err := r.Delivered(t.Context(), n); ok || err == nil {
		t.Error("it is said to be known whether it arrived")
	}
	n.Repeated, n.Text = false, ""
	if _, err := r.Notify(t.Context(), n); err != nil || r.server.Lines(r.chat)[1].Text != "" {
		t.Fatal(err, r.server.Lines(r.chat)[1].Text)
	}
}
