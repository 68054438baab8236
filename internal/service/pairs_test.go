package service_test

import (
	"testing"
	"time"

	"errand"
	"errand/internal/service"
)

// TestAllowPairs proves that any two agents ask each other so often in a conversation and
// no more, whichever of them asks, and that of several who are asked none is counted
// where one is refused.
func TestAllowPairs(t *testing.T) {
	now := time.Now()
	h := newHouse(t, func(deps *service.Deps) { deps.PairPerHour, deps.Now = 2, func() time.Time { return now } })
	for _, test := range []struct {
		conversation string
		from         errand.AgentName
		to           []errand.AgentName
		waits        bool
		pass         time.Duration
	}{
		{conversation: "a", from: "finn", to: []errand.AgentName{"sasha"}},
		{conversation: "a", from: "sasha", to: []errand.AgentName{"finn"}},
		{conversation: "a", from: "finn", to: []errand.AgentName{"sasha"}, waits: true},
		{conversation: "a", from: "finn", to: []errand.AgentName{"priest", "sasha"}, waits: true},
		{conversation: "a", from: "finn", to: []errand.AgentName{"priest"}},
		{conversation: "a", from: "finn", to: []errand.AgentName{"priest"}},
		{conversation: "a", from: "finn", to: []errand.AgentName{"priest"}, waits: true},
		{conversation: "b", from: "finn", to: []errand.AgentName{"sasha"}},
		{conversation: "a", from: "finn", to: []errand.AgentName{"sasha"}, pass: 30 * time.Minute},
		{conversation: "a", from: "finn", to: []errand.AgentName{"sasha"}, waits: true},
	} {
		now = now.Add(test.pass)
		if wait := h.AllowPairs(test.conversation, test.from, test.to); wait > 0 != test.waits || wait > 30*time.Minute {
			t.Errorf("in %s, %s asks %s: it has to wait %v", test.conversation, test.from, test.to, wait)
		}
	}
	h = newHouse(t, nil)
	for range 3 {
		if h.AllowPairs("a", "finn", []errand.AgentName{"sasha"}) > 0 {
			t.Error("without a bound there is one")
		}
	}
}
