package discord_test

import (
	"bytes"
	"testing"

	"errand/internal/core"
	platform "errand/internal/test/sim/discord"
	"errand/notifiers"
)

// TestSendsFile proves that a file arrives once, with its name and its text, also when its
// end was not seen and this process knows nothing of it.
func TestSendsFile(t *testing.T) {
	r := newRig(t)
	data := bytes.Repeat([]byte{0, 1, 2, 255}, 1_000_000)
	n := r.note("k", "Here is **the plan**.")
	n.Event, n.File = core.EventFile, &core.SentFile{Name: "plan.bin", Type: "application/octet-stream", Size: int64(len(data)), Data: data}
	r.server.Order(platform.CreateMessage, platform.Fault{Kind: platform.DieAfter})
	if _, err := r.Notify(t.Context(), n); sendError(t, err).Outcome != notifiers.Unknown {
		t.Fatal(err)
	}
	other := n
	other.Key, other.Text = "other", ""
	if _, err := r.Notify(t.Context(), other); err != nil {
		t.Fatal(err)
	}
	again := r.restart(1)
	receipt, ok, err := again.Delivered(t.Context(), n)
	if err != nil || !ok || len(receipt.IDs) != 1 {
		t.Fatal(receipt, ok, err)
	}
	if _, err := again.Notify(t.Context(), n); err != nil {
		t.Fatal(err)
	}
	lines := r.server.Lines(r.chat)
	if len(lines) != 2 || lines[0].Text != "Here is **the plan**." || lines[1].Text != "" {
		t.Fatalf("Ana sees %d messages: %q", len(lines), r.sentTexts())
	}
	for _, l := range lines {
		if len(l.Files) != 1 || l.Files[0].Name != "plan.bin" || !bytes.Equal(l.Files[0].Data, data) {
			t.Fatalf("the file is not as it was sent")
		}
	}
}
