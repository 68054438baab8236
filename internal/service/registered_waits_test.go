package service

import "testing"

// TestWaitingAgents proves how many calls of a registered agent wait at once, and that those
// of another one are not in their way.
func TestWaitingAgents(t *testing.T) {
	var w waitingAgents
	var leave []func()
	for range mostWaiting {
		l, ok := w.enter(waitingAgent{"ada", "zed"})
		if !ok {
			t.Fatal("there is no room")
		}
		leave = append(leave, l)
	}
	if _, ok := w.enter(waitingAgent{"ada", "zed"}); ok {
		t.Error("one more waits")
	}
	if l, ok := w.enter(waitingAgent{"bob", "zed"}); !ok {
		t.Error("another person's has to go")
	} else {
		l()
	}
	for _, l := range leave {
		l()
	}
	if _, ok := w.enter(waitingAgent{"ada", "zed"}); !ok || len(w.calls) != 1 {
		t.Errorf("after all have left there is room: %v; %d are counted", ok, len(w.calls))
	}
}
