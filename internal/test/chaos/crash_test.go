package chaos

import (
	"context"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
)

// TestToolEndsWorker proves that a tool which ends its worker whenever it runs is started three
// times, and one that must not run twice once; then its agent and its person read why.
func TestToolEndsWorker(t *testing.T) {
	t.Parallel()
	for tool, want := range map[string]struct {
		starts int
		says   string
	}{
		"ledger.read": {3, "it said error: ledger.read was started 3 times, and errand stopped each time before it finished"},
		"ledger.put":  {3, "it said error: ledger.put was started 3 times, and errand stopped each time before it finished"},
		"ledger.pay":  {1, "it said error: outcome unknown"},
	} {
		t.Run(tool, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
			defer cancel()
			w := newWorld(t, point{}, setting{target: embedded})
			w.startWorker("in tool")
			w.send(ctx, "c1", "m1", "use "+tool)
			for range want.starts {
				w.waitDead(ctx)
				w.startWorker("in tool") // and ends it again
			}
			var replies []string
			for len(replies) == 0 {
				var events []core.Event
				if w.get(ctx, "/events?channel=platform&chat=c1", &events) == nil {
					for _, e := range events {
						if e.Type == core.EventReply {
							replies = append(replies, e.Text)
						}
					}
				}
				select {
				case <-w.worker.done:
					t.Fatalf("the tool was started more than %d times; log:\n%s", want.starts, w.logs())
				default:
				}
				if !w.pause(ctx) {
					t.Fatalf("nothing was said; log:\n%s", w.logs())
				}
			}
			if len(replies) != 1 || !strings.HasPrefix(replies[0], want.says) {
				t.Errorf("the person reads %q", replies)
			}
		})
	}
}
