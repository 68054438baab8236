package prompt

import (
	"testing"

	"errand/internal/core"
)

// TestUnreadLines proves what the note says of results that came without the agent: that the
// person was told only if they were, and of what a peer says late not that the task completed.
func TestUnreadLines(t *testing.T) {
	unread := []core.Task{
		{ID: "t-1", State: core.Completed, Way: core.WayNotification, Delivery: core.Sent},
		{ID: "t-2", State: core.Completed, Way: core.WayNotification},
		{ID: "t-3", State: core.Failed, Way: core.WayNotification, Delivery: core.Blocked},
		{ID: "t-4", State: core.Completed, Way: core.WayNone},
		{ID: "t-5", State: core.Completed, Way: core.WayNone, LateOf: "t-inner", LateFor: "t-seen/sasha", Late: core.LateStatus},
	}
	for i := range unread {
		unread[i].Agents, unread[i].Title = []core.AgentName{"oracle"}, "trains"
	}
	const want = `
Your working memory. Before you say that you do not know something, look it up with recall or list_working_memory:
- notifications/t-1: oracle, completed, delivered to the user without you: "trains"
- notifications/t-2: oracle, completed, delivered to the user without you: "trains"
- notifications/t-3: oracle, failed, not delivered to the user: "trains"
- notifications/t-4: oracle, completed, stored, not delivered to the user: "trains"
- notifications/a2a/t-seen/status: oracle, late status, stored, not delivered to the user: "trains"
`
	if got := (Note{Unread: unread, UnreadPrefix: "notifications/"}).memory(); got != want {
		t.Errorf("the note says\n%s\nwant\n%s", got, want)
	}
}
