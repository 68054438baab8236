package service_test

import (
	"testing"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/test/servicetest"
)

// usageByTree returns the usage of two days.
func (h *house) usageByTree(by actor.Actor) []api.UsageGroup {
	used := servicetest.Must(ops.Do(h.t.Context(), h.Runner, api.GetUsage, by, api.GetUsageInput{Days: 2, By: []core.UsageBy{core.UsageByTree}}))(h.t.(*testing.T))
	return used.Groups[0].Rows
}

// TestUsageOfTitles proves that what the title of a chat has cost is told as that, with the
// chat, and not as a message in it.
func TestUsageOfTitles(t *testing.T) {
	h := newHouse(t, nil)
	session := h.session("member")
	c := store.UntitledChat{Session: session, Key: chatOf("member"), Person: "member", Agent: "nikki"}
	if err := h.store.BeginTitle(t.Context(), c, store.Amount{Calls: 1}); err != nil {
		t.Fatal(err)
	}
	if err := h.store.EndTitle(t.Context(), c, "", []core.Usage{{Model: "small", InputTokens: 10}}); err != nil {
		t.Fatal(err)
	}
	groups := h.usageByTree(as(core.Member))
	if len(groups) != 1 || groups[0].Key != "title:"+string(session) || groups[0].Session != session || groups[0].Task != "" {
		t.Errorf("by tree it is %+v", groups)
	}
}
