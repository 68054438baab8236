package discord_test

import (
	"sync/atomic"
	"testing"
	"time"

	platform "errand/internal/test/sim/discord"
)

// TestSent proves that each message, and each edit, comes with when it was written.
func TestSent(t *testing.T) {
	var now atomic.Int64
	begun := time.Now().Add(-3 * time.Hour).Truncate(time.Millisecond)
	now.Store(begun.UnixMilli())
	r := rigWith(t, platform.Options{Now: func() time.Time { return time.UnixMilli(now.Load()) }})
	r.start()
	r.connected()
	id := r.server.Write(r.dm, r.ana, "helo")
	now.Add(time.Hour.Milliseconds())
	r.server.Edit(r.dm, id, "hello")
	r.Until("both have come", func() bool { return len(r.Arrivals()) == 2 })
	if got := r.Arrivals(); !got[0].Sent.Equal(begun) || !got[1].Sent.Equal(begun.Add(time.Hour)) {
		t.Errorf("written at %s and %s, began at %s", got[0].Sent, got[1].Sent, begun)
	}
}
