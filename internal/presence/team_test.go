package presence

import (
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/store"
)

// TestAskedByPersonShowsNothing proves that what somebody asks an agent by /team shows
// neither typing nor progress in the chat in which it will answer: the answer is the first
// that is seen there.
func TestAskedByPersonShowsNothing(t *testing.T) { play(t, testAskedByPersonShowsNothing) }

func testAskedByPersonShowsNothing(t *testing.T, r *rig) {
	p, _ := r.run(nil)
	origin := core.Origin{Route: r.route, Person: "ada", Role: core.Member, Session: r.session, SessionKey: r.key, Depth: 1, Direct: true,
		Source: core.NewSessionKey(core.Route{Channel: "test", Account: "other", Chat: "42"}, "ada")}
	task, err := r.store.CreateTask(t.Context(), origin, store.NewTask{Agents: []core.AgentName{"sasha"}, Text: "night trains to Oslo"}, "")
	if err != nil {
		t.Fatal(err)
	}
	in := store.BeginStep{Key: core.StepKey{Owner: core.SubAgentOwner(task.ID, "sasha"), Turn: 1, Step: 1}}
	if _, err := r.store.BeginStep(t.Context(), in); err != nil {
		t.Fatal(err)
	}
	r.store.Bus().Publish(core.Event{Type: core.EventStep, Key: r.key, Session: r.session, Task: task.ID, Turn: 1})
	time.Sleep(time.Minute) // of the bubble: longer than anything is waited for
	r.until("nothing is due", func() bool { return p.progress.count() == 0 })
	if shown, typing := r.platform.texts(), saw(r.platform, func(p *platform) int { return p.typing }); len(shown) > 0 || typing > 0 {
		t.Errorf("it shows %q, and typing %d times", shown, typing)
	}
}
