package whatsapp_test

import (
	"bytes"
	"testing"
	"time"

	"errand/internal/core"
	platform "errand/internal/test/sim/whatsapp"
	"errand/notifiers/whatsapp"
)

// TestSendsFile proves that a file arrives as a document under its name, with its text,
// and once, however often it is sent.
func TestSendsFile(t *testing.T) {
	r := rigWith(t, whatsapp.Options{Timeout: time.Minute, Patience: 10 * time.Second, Rates: whatsapp.Rates{Chat: 1, All: 1}}, time.Millisecond)
	data := bytes.Repeat([]byte{0, 1, 2, 255}, 500_000)
	n := r.note("k", "Here is **the plan**.")
	n.Event, n.File = core.EventFile, &core.SentFile{Name: "plan.bin", Type: "application/octet-stream", Size: int64(len(data)), Data: data}
	for range 2 {
		receipt, err := r.Notify(t.Context(), n)
		if err != nil || len(receipt.IDs) != 1 || receipt.IDs[0] != whatsapp.MessageID("k", 0) {
			t.Fatal(receipt, err)
		}
	}
	bare := n
	bare.Key, bare.Text = "bare", ""
	if _, err := r.Notify(t.Context(), bare); err != nil {
		t.Fatal(err)
	}
	r.until("all has arrived", func() bool { return len(r.lines()) == 2 && r.ana.Waiting() == 0 })
	for i, want := range []string{"Here is *the plan*.", ""} {
		line := r.lines()[i]
		got, err := r.ana.Open(t.Context(), platform.Line(line))
		if err != nil || line.Kind != "document" || line.Name != "plan.bin" || line.Text != want || !bytes.Equal(got, data) {
			t.Fatalf("Ana sees a %s %q: %q, %d bytes, %v", line.Kind, line.Name, line.Text, len(got), err)
		}
	}
}
