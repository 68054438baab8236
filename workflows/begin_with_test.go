package workflows_test

import (
	"strings"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/test/intaketest"
	"errand/internal/test/workflowtest"
)

// TestBeginWithLast proves with whom new chats begin where they begin with the agent that the
// person talked with last, that /status says so before the first message, and that /reset and
// /supervisor lead back to the primary agent, the latter for new chats too.
func TestBeginWithLast(t *testing.T) {
	o := workflowtest.Options{
		House:      func(d *intaketest.Deps) { d.BeginWithLast = true },
		Activities: func(d *activities.Deps) { d.BeginWithLast = true },
	}
	workflowtest.Run(t, o, func(in *workflowtest.Installation) {
		say := func(chat, text string) string {
			answer := in.Write(workflowtest.Message{Route: core.WebRoute(chat), Text: text})
			in.Pass(10 * time.Second)
			return answer
		}
		begins := func(chat, want string) {
			t.Helper()
			if got := say(chat, "/status"); !strings.HasPrefix(got, "Agent: "+want+",") {
				t.Errorf("in chat %s /status says %q, want %s", chat, got, want)
			}
			say(chat, "hello")
			if now, err := in.Store.Current(in.T.Context(), workflowtest.Key(chat)); err != nil || now.Agent.Display() != want {
				t.Errorf("chat %s is with %s, want %s, %v", chat, now.Agent, want, err)
			}
		}
		begins("main", "Nikki")
		say("main", "/agent sasha")
		begins("two", "Sasha")
		say("two", "/reset")
		begins("two", "Nikki")
		begins("three", "Sasha")
		say("three", "/supervisor")
		begins("three", "Nikki")
		begins("four", "Nikki")
	})
}
