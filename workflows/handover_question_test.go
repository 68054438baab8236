package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

// TestProposalIsAQuestion proves that what a specialist proposes, to hand the conversation
// over to another, is a question like every other: it has an id, is on the lists while it
// waits, is answered or declined from anywhere, has one end, and lapses with the next thing
// that is said; and that a yes which comes after its end agrees to nothing.
func TestProposalIsAQuestion(t *testing.T) {
	elsewhere := func(in *workflowtest.Installation, text string) string {
		return in.Write(workflowtest.Message{Route: core.WebRoute("elsewhere"), Text: text})
	}
	tests := []struct {
		name  string
		after func(in *workflowtest.Installation, id string)
		state core.QuestionState
		agent core.AgentName
		last  string // what the person reads
	}{
		{"yes in the chat", func(in *workflowtest.Installation, _ string) { in.Send("Yes!") }, core.QuestionAnswered, "finn", "Finn heard: Yes!"},
		{"no in the chat", func(in *workflowtest.Installation, _ string) { in.Send("no, gracias") }, core.QuestionDeclined, "sasha", "Sasha heard: no, gracias"},
		{"something else", func(in *workflowtest.Installation, _ string) { in.Send("what is the time?"); in.Send("yes") }, core.QuestionWithdrawn, "sasha", "Sasha heard: yes"},
		{"yes from elsewhere", func(in *workflowtest.Installation, id string) {
			if got := elsewhere(in, "/answer "+id+" ok"); got != "Sasha has your answer: Yes" {
				in.T.Errorf("who answers reads %q", got)
			}
			if got := elsewhere(in, "/answer "+id+" no"); !strings.Contains(got, "already answered") {
				in.T.Errorf("a second answer is answered %q", got)
			}
			in.Settle()
		}, core.QuestionAnswered, "finn", "Finn heard: Yes"},
		{"declined from elsewhere", func(in *workflowtest.Installation, id string) {
			elsewhere(in, "/decline "+id)
			in.Settle()
		}, core.QuestionDeclined, "sasha", "Sasha heard: No"},
		{"another agent by command", func(in *workflowtest.Installation, _ string) { in.Command("/agent nikki"); in.Send("yes") }, core.QuestionWithdrawn, "nikki", "Nikki heard: yes"},
		{"nobody answers", func(in *workflowtest.Installation, id string) {
			if _, _, _, err := in.Store.CloseQuestion(in.T.Context(), store.CloseQuestion{ID: core.QuestionID(id), State: core.QuestionExpired}); err != nil {
				in.T.Fatal(err)
			}
			in.Send("yes")
		}, core.QuestionExpired, "sasha", "Sasha heard: yes"},
	}
	roster := specialists(t, func(m map[core.AgentName]*agents.Agent) { m["sasha"].StickyFor = time.Hour })
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := workflowtest.Options{Roster: roster, Activities: func(d *activities.Deps) { d.Model = llmtest.HandingOver() }}
			workflowtest.Run(t, o, func(in *workflowtest.Installation) {
				in.Send("hand over to sasha")
				in.Send("hand over to finn")
				q := question(in)
				if q.Kind != core.Proposes || q.Agent != "sasha" || q.Task != "" || !slices.Equal(q.Options, []string{"Yes", "No"}) {
					t.Fatalf("it is asked %+v", q)
				}
				if got := in.Command("/questions"); !strings.Contains(got, string(q.ID)) {
					t.Errorf("/questions answers %q", got)
				}
				test.after(in, string(q.ID))
				if now, err := in.Store.Question(in.T.Context(), q.ID); err != nil || now.State != test.state {
					t.Errorf("it is %s (%v), want %s", now.State, err, test.state)
				}
				if now, err := in.Store.Current(in.T.Context(), workflowtest.Key("main")); err != nil || now.Agent != test.agent {
					t.Errorf("the session is with %q (%v), want %q", now.Agent, err, test.agent)
				}
				if read := in.Read(); read[len(read)-1] != test.last {
					t.Errorf("the person reads %q, want %q last", read, test.last)
				}
			})
		})
	}
}
