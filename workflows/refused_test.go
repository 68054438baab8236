package workflows_test

import (
	"strings"
	"testing"

	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
)

// TestModelsMistakes proves that what a model asks for and cannot have is
// answered to it, and the turn goes on.
func TestModelsMistakes(t *testing.T) {
	many := make([]llmtest.ToolCall, 1000)
	for i := range many {
		many[i] = llmtest.Use("list_pending_async_agents", nil)
	}
	raw := func(tool, args string) llmtest.ToolCall { return llmtest.ToolCall{Tool: tool, Args: args} }
	tests := []struct {
		name  string
		text  string
		want  []string // in the reply, which repeats what the model was answered
		tasks int
	}{
		{"a tool that is not there", do(raw("fly_to_oslo", "{}")), []string{`there is no tool "fly_to_oslo"`}, 0},
		{"arguments that are no JSON", do(raw("call_agent", "sasha, please")), []string{"no JSON object"}, 0},
		{"arguments that are no object", do(raw("recall", "[1]")), []string{"no JSON object"}, 0},
		{"nobody to send", do(ask("", "trains")), []string{`"agent" is missing`}, 0},
		{"an unknown agent", do(ask("bob", "trains")), []string{`Nikki cannot delegate to "bob"`, "sasha, finn, priest"}, 0},
		{"nothing to do", do(ask("sasha", " ")), []string{`"task" is missing`}, 0},
		{"one good, one bad", do(ask("sasha", "trains"), raw("fly_to_oslo", "{}")), []string{"you said trains", "there is no tool"}, 1},
		{"the same task twice", do(send("sasha", "night  trains"), send("sasha", "night trains")), nil, 1},
		{"a thousand calls", do(many...), []string{"There are no open tasks", "at most 32 calls"}, 0},
		{"an agent of the chain", do(ask("sasha", do(ask("finn", do(ask("sasha", "again")))))),
			[]string{"Sasha is already working on this errand, above you (nikki → sasha)"}, 2},
		{"too deep", do(ask("sasha", do(ask("finn", do(ask("priest", do(ask("vera", "deep")))))))),
			[]string{"delegations nest 3 deep at most"}, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Send(test.text)
				reply := in.Read()[0]
				for _, want := range test.want {
					if !strings.Contains(reply, want) {
						t.Errorf("the model was answered %.600q; want %q in it", reply, want)
					}
				}
				if n := len(in.Tasks()); n != test.tasks {
					t.Errorf("%d tasks were made, want %d", n, test.tasks)
				}
			})
		})
	}
}

// TestModelRefuses proves that the person is told why there is no answer, at
// once where waiting cannot help, whoever's model it is.
func TestModelRefuses(t *testing.T) {
	refused := &llm.Error{Kind: llm.Refused, Provider: "openai", Status: 400, Message: "it is malformed"}
	for agent, text := range map[string]string{"nikki": "hello", "sasha": do(ask("sasha", "trains"))} {
		t.Run(agent, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Stage.Failing(agent, refused)
				in.Send(text)
				in.Reads("it is malformed")
				if got := in.Read()[0]; agent == "sasha" && !strings.Contains(got, "sasha: failed") {
					t.Errorf("the sub-agent's failure is told as %q", got)
				}
				if n := in.Stage.Called(agent); n != 1 {
					t.Errorf("the model was called %d times", n)
				}
			})
		})
	}
}

// TestBudget proves that a tree of work stops at its budget, and that whoever
// asked is told.
func TestBudget(t *testing.T) {
	o := workflowtest.Options{Limits: store.Limits{Turn: store.Amount{Calls: 5}}}
	workflowtest.Run(t, o, func(in *workflowtest.Installation) {
		const over = "used up its limit of 5 model calls"
		in.Send(do(ask("sasha", "loop")))
		in.Reads(over, over) // what Sasha could not finish, and why there is no answer
		if n := len(in.Stage.Requests()); n != 5 {
			t.Errorf("%d model calls were made of 5", n)
		}
		in.Send("hello")
		in.Reads(over, over, "you said hello")
	})
}
