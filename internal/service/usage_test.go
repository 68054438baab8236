package service_test

import (
	"testing"

	"errand"
	"errand/internal/service"
	"errand/internal/service/servicetest"
	"errand/internal/store"
)

// TestUsageOfTitles proves that what the title of a chat has cost is told as that, with the
// chat, and not as a message in it.
func TestUsageOfTitles(t *testing.T) {
	h := newHouse(t, nil)
	session := h.session("member")
	c := store.UntitledChat{Session: session, Key: chatOf("member"), Person: "member", Agent: "nikki"}
	if err := h.store.BeginTitle(t.Context(), c, store.Amount{Calls: 1}); err != nil {
		t.Fatal(err)
	}
	if err := h.store.EndTitle(t.Context(), c, "", []errand.Usage{{Model: "small", InputTokens: 10}}); err != nil {
		t.Fatal(err)
	}
	groups := servicetest.Must(h.UsageGroups(t.Context(), as(errand.Member), "", noon.AddDate(0, 0, -1), service.UsageByTree, 10))(t)
	if len(groups) != 1 || groups[0].Key != "title:"+string(session) || groups[0].Session != session || groups[0].Task != "" {
		t.Errorf("by tree it is %+v", groups)
	}
}
