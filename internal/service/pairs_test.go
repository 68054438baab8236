package service_test

import (
	"testing"
	"time"

	"errand/internal/core"
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
		from         core.AgentName
		to           []core.AgentName
		waits        bool
		pass         time.Duration
	}{
		{conversation: "a", from: "finn", to: []core.AgentName{"sasha"}},
		{conversation: "a", from: "sasha", to: []core.AgentName{"finn"}},
		{conversation: "a", from: "finn", to: []core.AgentName{"sasha"}, waits: true},
		{conversation: "a", from: "finn", to: []core.AgentName{"priest", "sasha"}, waits: true},
		{conversation: "a", from: "finn", to: []core.AgentName{"priest"}},
		{conversation: "a", from: "finn", to: []core.AgentName{"priest"}},
		{conversation: "a", from: "finn", to: []core.AgentName{"priest"}, waits: true},
		{conversation: "b", from: "finn", to: []core.AgentName{"sasha"}},
		{conversation: "a", from: "finn", to: []core.AgentName{"sasha"}, pass: 30 * time.Minute},
		{conversation: "a", from: "finn", to: []core.AgentName{"sasha"}, waits: true},
	} {
		now = now.Add(test.pass)
		if wait := h.Internal.AllowPairs(test.conversation, test.from, test.to); wait > 0 != test.waits || wait > 30*time.Minute {
			t.Errorf("in %s, %s asks %s: it has to wait %v", test.conversation, test.from, test.to, wait)
		}
	}
	h = newHouse(t, nil)
	for range 3 {
		if h.Internal.AllowPairs("a", "finn", []core.AgentName{"sasha"}) > 0 {
			t.Error("without a bound there is one")
		}
	}
}
