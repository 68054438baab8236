package workflows_test

import (
	"log/slog"
	"slices"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/test/llmtest"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

// TestHandOver proves what the person reads when the conversation changes
// hands, and how many model calls that takes.
func TestHandOver(t *testing.T) {
	const question = "Shall I hand you over?"
	tests := []struct {
		name  string
		says  []string
		pause time.Duration // before the last of these
		want  []string      // what the person reads, in order
		agent core.AgentName
		calls int
	}{
		{
			name:  "handed over, and from then on directly",
			says:  []string{"hand over to sasha", "and now?"},
			want:  []string{"Sasha takes over.", "Sasha heard: hand over to sasha", "Sasha heard: and now?"},
			agent: "sasha", calls: 3,
		},
		{
			name:  "handed back",
			says:  []string{"hand over to sasha", "hand over to nikki", "hello"},
			want:  []string{"Sasha takes over.", "Sasha heard: hand over to sasha", "Nikki takes over.", "Nikki heard: hand over to nikki", "Nikki heard: hello"},
			agent: "nikki", calls: 5,
		},
		{
			name: "a specialist asks first: yes",
			says: []string{"hand over to sasha", "hand over to finn", "Yes!"},
			want: []string{"Sasha takes over.", "Sasha heard: hand over to sasha", "That is more for Finn than for me. " + question,
				"Finn takes over.", "Finn heard: Yes!"},
			agent: "finn", calls: 4,
		},
		{
			name: "a specialist asks first: no",
			says: []string{"hand over to sasha", "hand over to finn", "no, gracias", "go on"},
			want: []string{"Sasha takes over.", "Sasha heard: hand over to sasha", "That is more for Finn than for me. " + question,
				"Sasha heard: no, gracias", "Sasha heard: go on"},
			agent: "sasha", calls: 5,
		},
		{
			name: "a specialist asks first: something else",
			says: []string{"hand over to sasha", "hand over to finn", "yes but first tell me more"},
			want: []string{"Sasha takes over.", "Sasha heard: hand over to sasha", "That is more for Finn than for me. " + question,
				"Sasha heard: yes but first tell me more"},
			agent: "sasha", calls: 4,
		},
		{
			name:  "not to whom it may not",
			says:  []string{"hand over to sasha", "hand over to priest"},
			want:  []string{"Sasha takes over.", "Sasha heard: hand over to sasha", "Sasha heard: hand over to priest"},
			agent: "sasha", calls: 4,
		},
		{
			name:  "not to an agent that there is not",
			says:  []string{"hand over to bob"},
			want:  []string{"Nikki heard: hand over to bob"},
			agent: "nikki", calls: 2,
		},
		{
			name: "a pause that is not too long",
			says: []string{"hand over to sasha", "hello"}, pause: 59 * time.Minute,
			want:  []string{"Sasha takes over.", "Sasha heard: hand over to sasha", "Sasha heard: hello"},
			agent: "sasha", calls: 3,
		},
		{
			name: "a pause that is too long",
			says: []string{"hand over to sasha", "hello"}, pause: 61 * time.Minute,
			want: []string{"Sasha takes over.", "Sasha heard: hand over to sasha",
				"You have not talked with Sasha for a while. Nikki takes over.", "Nikki heard: hello"},
			agent: "nikki", calls: 3,
		},
	}
	roster := specialists(t, func(m map[core.AgentName]*agents.Agent) { m["sasha"].StickyFor = time.Hour })
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			model := llmtest.HandingOver()
			o := workflowtest.Options{Roster: roster, Activities: func(d *activities.Deps) { d.Model = model }}
			workflowtest.Run(t, o, func(in *workflowtest.Installation) {
				for i, text := range test.says {
					if i == len(test.says)-1 {
						in.Pass(test.pause)
					}
					in.Send(text)
				}
				if got := in.Read(); !slices.Equal(got, test.want) {
					t.Errorf("the person reads %q, want %q", got, test.want)
				}
				if now, err := in.Store.Current(in.T.Context(), workflowtest.Key("main")); err != nil || now.Agent != test.agent {
					t.Errorf("the session is with %q (%v), want %q", now.Agent, err, test.agent)
				}
				if n := len(model.Requests()); n != test.calls {
					t.Errorf("%d model calls, want %d", n, test.calls)
				}
			})
		})
	}
}

// TestPrimaryTakesOver proves that the primary agent takes over, and says so,
// when the specialist that a session is with is gone, or closed to this person.
func TestPrimaryTakesOver(t *testing.T) {
	tests := []struct {
		name   string
		change func(map[core.AgentName]*agents.Agent)
		off    bool // nothing is handed over any more
		want   string
	}{
		{name: "gone", change: func(m map[core.AgentName]*agents.Agent) { m["sasha"].Name = "zoe"; m["nikki"].Delegates[0] = "zoe" },
			want: "Sasha is no longer here. Nikki takes over."},
		{name: "closed", change: func(m map[core.AgentName]*agents.Agent) { m["sasha"].NotSticky = true },
			want: "You can no longer talk with Sasha. Nikki takes over."},
		{name: "sticky off", off: true, want: "You can no longer talk with Sasha. Nikki takes over."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			o := played(t, specialists(t, test.change), llmtest.HandingOver())
			model := o.Activities
			o.Activities = func(d *activities.Deps) { model(d); d.Sticky = !test.off }
			workflowtest.Run(t, o, func(in *workflowtest.Installation) {
				env := &service.Env{Store: in.Store, Logger: slog.New(slog.DiscardHandler)}
				before, err := service.New(service.Deps{Env: env, Runner: service.NewRunner(env, nil),
					Dispatch: in.Dispatch, Roster: specialists(t, nil), Sticky: true, StickyFor: time.Hour})
				if err != nil {
					t.Fatal(err)
				}
				if _, err := servicetest.SwitchAgent(in.T.Context(), before, owner, workflowtest.Key("main"), "sasha"); err != nil {
					t.Fatal(err)
				}
				in.Send("hello")
				in.Reads(test.want, "Nikki heard: hello")
			})
		})
	}
}
