package scripted_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/llm/scripted"
	"errand/internal/tools"
)

func demoTools(names ...string) []llm.Tool {
	var out []llm.Tool
	for _, n := range names {
		t := llm.Tool{Name: n}
		if strings.HasPrefix(n, "call_agent") || n == "transfer_to_agent" {
			t.Parameters = json.RawMessage(`{"type":"object","properties":{"agent":{"type":"string","enum":["sasha","finn","priest"]},"task":{"type":"string"}},"required":["agent","task"]}`)
		}
		out = append(out, t)
	}
	return out
}

var allTools = demoTools("call_agent", "call_agent_async", "list_pending_async_agents", "get_task", "kill_async_agent", "remind_me", "transfer_to_agent")

func fromPerson(s string) core.Message { return core.Message{Speaker: core.FromPerson, Text: s} }

func answers(s string) core.Message { return core.Message{Speaker: core.FromAgent, Text: s} }

func calls(id, name, arguments string) core.Message {
	return core.Message{Speaker: core.FromAgent, Calls: []core.ToolCall{{ID: id, Name: name, Arguments: arguments}}}
}

func returns(id, s string) core.Message {
	return core.Message{Speaker: core.FromTool, CallID: id, Text: s}
}

func report(id core.TaskID, state core.TaskState, text string) string {
	t := core.Task{ID: id, Agents: []core.AgentName{"sasha"}, State: state, Result: text, Error: text}
	return t.Report("§7k3m9q2x")
}

// What the demonstration model does about what people write.
func TestDemo(t *testing.T) {
	const id = "t-7k3m9q2x"
	trains := `{"agent":"sasha","task":"compare night trains to Oslo"}`
	tests := []struct {
		name  string
		say   []core.Message
		tools []llm.Tool // nil: all
		mute  bool
		calls []string // name and arguments
		want  []string // pieces of the text
		not   string
	}{
		{name: "a greeting", say: []core.Message{fromPerson("Hi there")}, want: []string{"Hello, Nikki here", "offline demonstration model", "OPENAI_API_KEY"}},
		{name: "it introduces itself once", say: []core.Message{fromPerson("Hi"), answers("Hello! (I am the demonstration model)"), fromPerson("what is the capital of Norway?")},
			want: []string{"capital of Norway", "demonstration model"}, not: "OPENAI_API_KEY"},
		{name: "delegate", say: []core.Message{fromPerson("Please ask Sasha to compare night trains to Oslo.")}, calls: []string{"call_agent " + trains}},
		{name: "delegate in the background", say: []core.Message{fromPerson("ask Sasha to compare night trains to Oslo, in the background")}, calls: []string{"call_agent_async " + trains}},
		{name: "the background first", say: []core.Message{fromPerson("In the background, have sasha compare night trains to Oslo")}, calls: []string{"call_agent_async " + trains}},
		{name: "later", say: []core.Message{fromPerson("tell Sasha to compare night trains to Oslo later.")}, calls: []string{"call_agent_async " + trains}},
		{name: "addressed", say: []core.Message{fromPerson("Sasha, please compare night trains to Oslo")}, calls: []string{"call_agent " + trains}},
		{name: "with an article", say: []core.Message{fromPerson("ask the priest whether it is right")}, calls: []string{`call_agent {"agent":"priest","task":"whether it is right"}`}},
		{name: "two agents", say: []core.Message{fromPerson("ask Sasha and Finn to write a haiku")},
			calls: []string{`call_agent {"agent":"sasha","task":"write a haiku"}`, `call_agent {"agent":"finn","task":"write a haiku"}`}},
		{name: "three agents", say: []core.Message{fromPerson("ask Sasha, Finn, and Priest: is this right?")},
			calls: []string{`call_agent {"agent":"sasha","task":"is this right?"}`, `call_agent {"agent":"finn","task":"is this right?"}`, `call_agent {"agent":"priest","task":"is this right?"}`}},
		{name: "two errands", say: []core.Message{fromPerson("ask Sasha to find trains and then ask Finn to book them")},
			calls: []string{`call_agent {"agent":"sasha","task":"find trains"}`, `call_agent {"agent":"finn","task":"book them"}`}},
		{name: "an errand in an errand", say: []core.Message{fromPerson("ask Sasha to ask Finn to check the build")},
			calls: []string{`call_agent {"agent":"sasha","task":"ask Finn to check the build"}`}},
		{name: "several messages", say: []core.Message{fromPerson("hello"), fromPerson("ask Sasha to find trains"), fromPerson("what is running?")},
			calls: []string{`call_agent {"agent":"sasha","task":"find trains"}`, `list_pending_async_agents {}`}},
		{name: "several messages, all answered", say: []core.Message{fromPerson("hello"), fromPerson("ask Sasha to find trains"), fromPerson("is it cold there?"),
			calls("a", "call_agent", `{"agent":"sasha","task":"find trains"}`), returns("a", report(id, core.Completed, "Two trains."))},
			want: []string{"Hello, Nikki", "is it cold", "Sasha reports:\nTwo trains."}},
		{name: "a message after the call", say: []core.Message{fromPerson("ask Sasha to find trains"), calls("a", "call_agent", `{"agent":"sasha","task":"find trains"}`), returns("a", report(id, core.Completed, "Two trains.")), fromPerson("ask Finn to book them")},
			calls: []string{`call_agent {"agent":"finn","task":"book them"}`}},
		{name: "a late result before the message was acted on", say: []core.Message{fromPerson("ask Finn to book them"), calls("a", "get_task", `{"task_id":"`+id+`"}`), returns("a", report(id, core.Completed, "Two trains."))},
			calls: []string{`call_agent {"agent":"finn","task":"book them"}`}},
		{name: "sent off", say: []core.Message{fromPerson("ask Sasha to find trains in the background"), calls("a", "call_agent_async", `{"agent":"sasha","task":"find trains"}`), returns("a", "started "+id)},
			want: []string{"I sent Sasha off: " + id + "; I will tell you when it is done."}},
		{name: "not sent off", say: []core.Message{fromPerson("ask Sasha to find trains in the background"), calls("a", "call_agent_async", `{"agent":"sasha","task":"find trains"}`), returns("a", "error: the budget is used up")},
			want: []string{"I could not send Sasha off: error: the budget is used up"}},
		{name: "patience is over", say: []core.Message{fromPerson("ask Sasha to find trains"), calls("a", "call_agent", `{"agent":"sasha","task":"find trains"}`), returns("a", report(id, core.Working, ""))},
			want: []string{"Sasha is still working", id}},
		{name: "what was stopped is no news", say: []core.Message{fromPerson("ask Sasha to find trains"), calls("a", "call_agent", `{"agent":"sasha","task":"find trains"}`), returns("a", "stopped by the user"), fromPerson("hello")},
			want: []string{"Hello"}, not: "stopped"},
		{name: "it failed", say: []core.Message{fromPerson("ask Sasha to find trains"), calls("a", "call_agent", `{"agent":"sasha","task":"find trains"}`), returns("a", report(id, core.Failed, "no such trains"))},
			want: []string{"Sasha could not finish", "no such trains"}, not: "reports"},
		{name: "a late result", say: []core.Message{fromPerson("x"), calls("a", "call_agent_async", trains), returns("a", "started "+id), answers("I sent Sasha off (demonstration)"),
			calls("b", "get_task", `{"task_id":"`+id+`"}`), returns("b", report(id, core.Completed, "Take the 22:10."))},
			want: []string{`Sasha is back on "compare night trains to Oslo": Take the 22:10.`}, not: "<report>"},
		{name: "late results together, one failed", say: []core.Message{answers("demonstration"),
			{Speaker: core.FromAgent, Calls: []core.ToolCall{{ID: "b", Name: "get_task", Arguments: "{}"}, {ID: "c", Name: "get_task", Arguments: "{}"}}},
			returns("b", report(id, core.Completed, "Take the 22:10.")), returns("c", report("t-abcdefgh", core.Failed, "no such bus"))},
			want: []string{"Sasha is back: Take the 22:10.", "Sasha could not finish t-abcdefgh: no such bus"}},
		{name: "list", say: []core.Message{fromPerson("What's running?")}, calls: []string{"list_pending_async_agents {}"}},
		{name: "list tasks", say: []core.Message{fromPerson("list my tasks")}, calls: []string{"list_pending_async_agents {}"}},
		{name: "the list", say: []core.Message{fromPerson("pending?"), calls("a", "list_pending_async_agents", "{}"), returns("a", id+" sasha working")}, want: []string{id + " sasha working"}},
		{name: "status", say: []core.Message{fromPerson("status of t-7k3m?")}, calls: []string{`get_task {"task_id":"t-7k3m"}`}},
		{name: "the status", say: []core.Message{fromPerson("status of t-7k3m?"), calls("a", "get_task", `{"task_id":"t-7k3m"}`), returns("a", report(id, core.Completed, "Two trains."))},
			want: []string{id + " (Sasha) is completed", "Two trains."}, not: "is back"},
		{name: "cancel", say: []core.Message{fromPerson("cancel t-7k3m please")}, calls: []string{`kill_async_agent {"reason":"the user asked for it","task_id":"t-7k3m"}`}},
		{name: "remind", say: []core.Message{fromPerson("remind me in 10 minutes to drink tea.")}, calls: []string{`remind_me {"text":"drink tea","when":"in 10 minutes"}`}},
		{name: "remind, the other way round", say: []core.Message{fromPerson("remind me to drink tea in 10 minutes")}, calls: []string{`remind_me {"text":"drink tea","when":"in 10 minutes"}`}},
		{name: "remind, now", say: []core.Message{fromPerson("[reminder r-7k3m9q2x, set by the user on 1 May 2026 for now] ask Sasha to sing")}, want: []string{"It is time. You wanted to be reminded: ask Sasha to sing"}},
		{name: "remind every", say: []core.Message{fromPerson("remind me every monday at 8 to water the plants")}, calls: []string{`remind_me {"text":"water the plants","when":"every monday at 8"}`}},
		{name: "remind tomorrow", say: []core.Message{fromPerson("please remind me to call Ann tomorrow at 9")}, calls: []string{`remind_me {"text":"call Ann","when":"tomorrow at 9"}`}},
		{name: "cannot remind", say: []core.Message{fromPerson("remind me in 10 minutes to drink tea")}, tools: demoTools("call_agent"), want: []string{"cannot remind"}},
		{name: "hand over", say: []core.Message{fromPerson("let me talk to Priest")}, calls: []string{`transfer_to_agent {"agent":"priest","reason":"the user asked for it"}`}},
		{name: "an unknown agent", say: []core.Message{fromPerson("ask Bob to sing")}, want: []string{"don't know an agent called Bob", "Sasha, Finn or Priest"}},
		{name: "no agents", say: []core.Message{fromPerson("ask Bob to sing")}, tools: []llm.Tool{}, want: []string{"can't ask Bob"}},
		{name: "about me", say: []core.Message{fromPerson("tell me about t-shirts")}, want: []string{"You wrote"}},
		{name: "no more calls", say: []core.Message{fromPerson("ask Sasha to sing")}, mute: true, want: []string{"may not call more tools"}},
		{name: "told in the last step", say: []core.Message{fromPerson("ask Sasha to sing"), calls("a", "call_agent", `{"agent":"sasha","task":"sing"}`), returns("a", report(id, core.Completed, "La."))}, mute: true,
			want: []string{"Sasha reports:\nLa."}, not: "may not"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tools := tt.tools
			if tools == nil {
				tools = allTools
			}
			got, err := scripted.NewDemo(scripted.DemoOptions{Instant: true}).Complete(t.Context(),
				llm.Request{Model: "default", System: "You are Nikki, who runs errands.", Messages: tt.say, Tools: tools, NoTools: tt.mute}, nil)
			require.NoError(t, err)
			var made []string
			for _, c := range got.Calls {
				made = append(made, c.Name+" "+c.Arguments)
			}
			require.Equal(t, tt.calls, made, got.Text)
			for _, w := range tt.want {
				require.Contains(t, got.Text, w)
			}
			if tt.not != "" {
				require.NotContains(t, got.Text, tt.not)
			}
		})
	}
}

// As a sub-agent it works in steps, each taking its share of the time, streams
// its report, and delegates what the task says is somebody else's.
func TestDemoAsASubAgent(t *testing.T) {
	const system = "You are Sasha.\nYou are working on task t-7k3m9q2x for Nikki."
	tests := []struct {
		name  string
		task  string
		tools []llm.Tool
		o     scripted.DemoOptions
		steps []string // tools called, in order
		takes time.Duration
		want  string
	}{
		{"without tools", "compare trains", nil, scripted.DemoOptions{}, nil, 6 * time.Second, `Demonstration report on "compare trains"`},
		{"with its notes", "compare trains", demoTools("recall", "list_working_memory"), scripted.DemoOptions{Work: 9 * time.Second}, []string{"list_working_memory", "recall"}, 9 * time.Second, "Demonstration report"},
		{"a time in the task", "work 3s, then report", demoTools("recall"), scripted.DemoOptions{}, []string{"recall"}, 3 * time.Second, "Demonstration report"},
		{"a long time in the task", "take 10 minutes", nil, scripted.DemoOptions{}, nil, 10 * time.Minute, "Demonstration report"},
		{"instant", "compare trains", demoTools("recall"), scripted.DemoOptions{Instant: true}, nil, 0, "Demonstration report"},
		{"instant, with a time in the task", "take 3 seconds to compare trains", demoTools("recall"), scripted.DemoOptions{Instant: true}, nil, 3 * time.Second, "Demonstration report"},
		{"nested", "ask Finn to check the build", demoTools("call_agent", "recall"), scripted.DemoOptions{}, []string{"call_agent"}, 2 * time.Second, "Finn: done"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := scripted.NewDemo(tt.o)
				transcript := []core.Message{fromPerson(tt.task)}
				begin := time.Now()
				var steps []string
				for {
					got, err := c.Complete(t.Context(), llm.Request{Model: "default", System: system, Messages: transcript, Tools: tt.tools}, nil)
					require.NoError(t, err)
					if len(got.Calls) == 0 {
						require.Contains(t, got.Text, tt.want)
						break
					}
					require.Len(t, got.Calls, 1)
					steps = append(steps, got.Calls[0].Name)
					transcript = append(transcript, core.Message{Speaker: core.FromAgent, Calls: got.Calls}, returns(got.Calls[0].ID, "done"))
				}
				require.Equal(t, tt.steps, steps)
				require.InDelta(t, tt.takes, time.Since(begin), float64(time.Millisecond))
			})
		})
	}
}

// Pieces arrive while it works, not at its end.
func TestDemoReallyStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begin := time.Now()
		var at []time.Duration
		_, err := scripted.NewDemo(scripted.DemoOptions{}).Complete(t.Context(), llm.Request{
			Model: "default", System: "You are working on task t-7k3m9q2x", Messages: []core.Message{fromPerson("take 60 seconds")},
		}, func(llm.Delta) { at = append(at, time.Since(begin)) })
		require.NoError(t, err)
		require.Greater(t, len(at), 20)
		require.Less(t, at[0], 5*time.Second)
		require.Less(t, at[len(at)/2], 40*time.Second)
	})
}

func TestDemoStopsWhenItsCallerDoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := scripted.NewDemo(scripted.DemoOptions{})
		done := make(chan error)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			_, err := c.Complete(ctx, llm.Request{Model: "default", System: "You are working on task t-7k3m9q2x", Messages: []core.Message{fromPerson("take 10 minutes")}}, nil)
			done <- err
		}()
		synctest.Wait()
		cancel()
		require.Error(t, <-done)
	}) // synctest fails if it is still there
}

func FuzzDemo(f *testing.F) {
	f.Add("ask Sasha and ask Finn to ask Sasha", true)
	f.Add("Sasha: t-7k3m", false)
	f.Add("[task t-a, sasha: completed]\n<report>", true)
	f.Fuzz(func(t *testing.T, text string, sub bool) {
		r := llm.Request{Model: "default", Messages: []core.Message{fromPerson("hi"), fromPerson(text), calls("a", "get_task", text), returns("a", text)}, Tools: allTools}
		if sub {
			r.System = "You are working on task t-7k3m9q2x"
		}
		for _, word := range []string{"work", "tak", "wait", "sleep", "for"} {
			if strings.Contains(strings.ToLower(text), word) {
				t.Skip("it may ask for a time")
			}
		}
		_, err := scripted.NewDemo(scripted.DemoOptions{Instant: true}).Complete(t.Context(), r, nil)
		require.NoError(t, err)
	})
}

// TestDemoGivesAVerdict proves that a sub-agent which is to decide something decides it, by
// the tool and in its form.
func TestDemoGivesAVerdict(t *testing.T) {
	c := scripted.NewDemo(scripted.DemoOptions{Instant: true})
	got, err := c.Complete(t.Context(), llm.Request{Model: "default", System: "You are Sasha.\nYou are working on task t-7k3m9q2x for Nikki.",
		Messages: []core.Message{fromPerson("is this release good?")}, Tools: demoTools("recall", tools.SubmitVerdict)}, nil)
	require.NoError(t, err)
	require.Len(t, got.Calls, 1)
	require.Equal(t, tools.SubmitVerdict, got.Calls[0].Name)
	verdict, err := tools.ParseSubmitted(got.Calls[0].Arguments)
	require.NoError(t, err)
	require.Equal(t, core.Yes, verdict.Verdict)
}
