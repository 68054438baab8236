package workflows_test

import (
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/test/intaketest"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

func consult(agent, question string) string {
	return do(llmtest.Use("consult", map[string]string{"agent": agent, "question": question}))
}

func consultIfAgreed(agent, question string) string {
	return do(llmtest.ToolCall{Tool: "consult", Args: `{"agent": "` + agent + `", "question": "` + question + `", "ask": true}`})
}

// TestConsult proves what the person reads when the specialist that leads their
// conversation asks a colleague: the conversation stays with the specialist.
func TestConsult(t *testing.T) {
	const shall = "For this I would like to ask Sasha: “hello” Shall I?"
	for _, test := range []struct {
		name  string
		leads core.AgentName
		says  []string
		pass  time.Duration
		want  []string
		tasks int
	}{
		{name: "the answer is the result of the call", leads: "finn", says: []string{consult("sasha", "hello"), "and now?"},
			want: []string{"sasha: completed]", "you said and now?"}, tasks: 1},
		{name: "of the primary agent", leads: "finn", says: []string{consult("Nikki", "hello")}, want: []string{"nikki: completed]"}, tasks: 1},
		{name: "it takes an hour", leads: "finn", says: []string{consult("sasha", "wait 30m"), "hello"}, pass: 40 * time.Minute,
			want: []string{"Still at work.", "you said hello", "done 30m"}, tasks: 1},
		{name: "the person agrees", leads: "finn", says: []string{consultIfAgreed("sasha", "hello"), "Yes, ask", consult("sasha", "hello")},
			want: []string{shall, "you said Yes, ask", "sasha: completed]"}, tasks: 1},
		{name: "the person does not agree", leads: "finn", says: []string{consultIfAgreed("sasha", "hello"), "no"}, want: []string{shall, "you said no"}},
		{name: "beside other calls", leads: "finn", says: []string{do(llmtest.ToolCall{Tool: "consult", Args: `{"agent":"sasha","question":"hello","ask":true}`}, ask("priest", "hello"))},
			want: []string{"error: ask the user in a separate step"}, tasks: 1},
		{name: "oneself", leads: "finn", says: []string{consult("finn", "hello")}, want: []string{`Finn cannot consult "finn"; it can consult: priest, sasha, nikki`}},
		{name: "nobody", leads: "finn", says: []string{consult("", "hello")}, want: []string{`"agent" is missing`}},
		{name: "nothing", leads: "finn", says: []string{consult("sasha", " ")}, want: []string{`"question" is missing`}},
		{name: "the primary agent delegates", leads: "nikki", says: []string{consult("sasha", "hello")}, want: []string{"Nikki cannot consult anybody here"}},
		{name: "who works on a task delegates", leads: "nikki", says: []string{do(ask("finn", consult("sasha", "hello")))}, want: []string{"Finn cannot consult anybody here"}, tasks: 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Command("/agent " + string(test.leads))
				before := len(in.Read())
				for _, text := range test.says {
					in.Send(text)
				}
				in.Pass(test.pass)
				read := in.Read()[before:]
				if len(read) != len(test.want) {
					t.Fatalf("the person reads %q, want %q", read, test.want)
				}
				for i, want := range test.want {
					if !strings.Contains(read[i], want) {
						t.Errorf("the person reads %q, want %q in it", read[i], want)
					}
				}
				if tasks := in.Tasks(); len(tasks) != test.tasks {
					t.Errorf("there are %d tasks, want %d", len(tasks), test.tasks)
				}
				if in.LastPrompt("finn").System != "" && test.leads == "finn" != strings.Contains(in.LastPrompt("finn").System, "call consult") {
					t.Errorf("what Finn is told of consulting: %q", in.LastPrompt("finn").System)
				}
			})
		})
	}
}

// TestPairs proves that two agents which ask each other again and again are slowed down,
// and that the one which asks is told so.
func TestPairs(t *testing.T) {
	house := func(d *intaketest.Deps) { d.PairPerHour = 2 }
	workflowtest.Run(t, workflowtest.Options{House: house}, func(in *workflowtest.Installation) {
		in.Send(do(ask("sasha", "hello")))
		in.Send(askTeam(map[string]any{"agents": []string{"sasha", "finn"}, "task": "hello"}))
		in.Send(do(ask("sasha", "hello again")))
		in.Send(do(ask("finn", "hello")))
		in.Pass(time.Hour)
		in.Send(do(ask("sasha", "hello at last")))
		in.Reads("you said hello", "## Sasha", "error: Nikki and Sasha have asked each other too often in this conversation; try again in ", "you said hello", "you said hello at last")
		if tasks := in.Tasks(); len(tasks) != 4 || tasks[3].State != core.Completed {
			t.Errorf("there are %d tasks", len(tasks))
		}
	})
}
