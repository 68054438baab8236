package activities

import (
	"testing"

	"errand"
	"errand/internal/store"
)

// TestUnreadLines proves what the note says of results that came without the agent: that the
// person was told only if they were, and of what a peer says late not that the task completed.
func TestUnreadLines(t *testing.T) {
	unread := []errand.Task{
		{ID: "t-1", State: errand.Completed, Way: errand.WayNotification, Delivery: errand.Sent},
		{ID: "t-2", State: errand.Completed, Way: errand.WayNotification},
		{ID: "t-3", State: errand.Failed, Way: errand.WayNotification, Delivery: errand.Blocked},
		{ID: "t-4", State: errand.Completed, Way: errand.WayNone},
		{ID: "t-5", State: errand.Completed, Way: errand.WayNone, LateOf: "t-inner", LateFor: "t-seen/sasha", Late: errand.LateStatus},
	}
	for i := range unread {
		unread[i].Agents, unread[i].Title = []errand.AgentName{"oracle"}, "trains"
	}
	const want = `
Your working memory: look here, with recall and list_working_memory, before you say that you do not know something.
- notifications/t-1: oracle, completed, told to the person without you: "trains"
- notifications/t-2: oracle, completed, told to the person without you: "trains"
- notifications/t-3: oracle, failed, not delivered to the person: "trains"
- notifications/t-4: oracle, completed, kept, and not told to the person: "trains"
- notifications/a2a/t-seen/status: oracle, late status, kept, and not told to the person: "trains"
`
	if got := memory(&store.StepInput{Unread: unread}); got != want {
		t.Errorf("the note says\n%s\nwant\n%s", got, want)
	}
}
