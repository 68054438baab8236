package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"errand"
	"errand/internal/agents"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/gateway"
	"errand/internal/llm"
	"errand/internal/llm/llmtest"
)

// A stage is a model that plays every agent. What an agent is told says what it
// does, see [do], "wait NAME", "after NAME …" and "loop"; anything else it echoes. What its
// tools answer it tells.
type stage struct {
	*llmtest.Model

	mu    sync.Mutex
	gates map[string]chan struct{}
	fails map[string]error
}

func newStage() *stage {
	s := &stage{gates: map[string]chan struct{}{}, fails: map[string]error{}}
	s.Model = llmtest.Func(s.play)
	return s
}

// A call is a tool call that an agent is told to make.
type call struct {
	Tool string
	Args string
}

// do tells an agent to make calls, all in one step.
func do(calls ...call) string {
	b, err := json.Marshal(calls)
	if err != nil {
		panic(err) // strings always marshal
	}
	return "do " + string(b)
}

func tool(name string, args map[string]string) call {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err) // strings always marshal
	}
	return call{name, string(b)}
}

// ask delegates and waits; send delegates and goes on.
func ask(agent, task string) call {
	return tool("call_agent", map[string]string{"agent": agent, "task": task})
}

func send(agent, task string) call {
	return tool("call_agent_async", map[string]string{"agent": agent, "task": task})
}

func (s *stage) gate(name string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.gates[name] == nil {
		s.gates[name] = make(chan struct{})
	}
	return s.gates[name]
}

// open lets whoever waits for name go on.
func (s *stage) open(name string) { close(s.gate(name)) }

func (s *stage) await(ctx context.Context, name string) error {
	select {
	case <-s.gate(name):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failing makes the model of the agent called name fail; nil ends that.
func (s *stage) failing(name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails[name] = err
}

func (s *stage) failure(agent string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fails[agent]
}

func (s *stage) play(ctx context.Context, r llm.Request) llmtest.Reply {
	if err := s.failure(speaker(r)); err != nil {
		return llmtest.Fail(err)
	}
	said, heard := given(r)
	if first := r.Messages[0].Text; first == "loop" {
		said = []string{first}
	}
	if len(said) > 0 {
		last := said[len(said)-1]
		if strings.HasPrefix(last, "[reminder ") { // it does what it is reminded of
			_, last, _ = strings.Cut(last, "] ")
		}
		if rest, ok := strings.CutPrefix(last, "after "); ok {
			var name string
			name, last, _ = strings.Cut(rest, " ")
			if err := s.await(ctx, name); err != nil {
				return llmtest.Fail(err)
			}
		}
		if name, ok := strings.CutPrefix(last, "wait "); ok {
			if err := s.await(ctx, name); err != nil {
				return llmtest.Fail(err)
			}
			return llmtest.Text("done " + name)
		}
		if last == "loop" {
			return llmtest.Call("c1", "remember", `{"key":"k","value":"v"}`)
		}
		if list, ok := strings.CutPrefix(last, "do "); ok {
			var calls []call
			if err := json.Unmarshal([]byte(list), &calls); err != nil {
				return llmtest.Text(err.Error())
			}
			var reply llmtest.Reply
			for i, c := range calls {
				reply.Calls = append(reply.Calls, errand.ToolCall{ID: fmt.Sprintf("c%d", i), Name: c.Tool, Arguments: c.Args})
			}
			return reply
		}
	}
	var parts []string
	if len(heard) > 0 {
		parts = append(parts, "told: "+strings.Join(heard, " | "))
	}
	if len(said) > 0 {
		parts = append(parts, "you said "+strings.Join(said, " + "))
	}
	return llmtest.Text(strings.Join(parts, "; "))
}

// given returns what a request asks for: what people have said and tools have
// answered since the agent spoke last.
func given(r llm.Request) (said, heard []string) {
	for _, m := range r.Messages {
		switch {
		case m.Speaker == errand.FromAgent && len(m.Calls) == 0:
			said, heard = nil, nil
		case m.Speaker == errand.FromAgent && strings.HasPrefix(m.Calls[0].ID, "fold-"):
			// A late result, put into the transcript for this turn.
		case m.Speaker == errand.FromAgent:
			said, heard = nil, nil
		case m.Speaker == errand.FromTool:
			heard = append(heard, m.Text)
		default:
			said = append(said, m.Text)
		}
	}
	return said, heard
}

// speaker returns the name of the agent whose call it is, see [cast].
func speaker(r llm.Request) string {
	rest, _ := strings.CutPrefix(r.System, "I am ")
	name, _, _ := strings.Cut(rest, ".")
	return name
}

// calls returns how many calls of an agent's model have begun.
func (s *stage) calls(agent string) int {
	n := 0
	for _, r := range s.Requests() {
		if speaker(r) == agent {
			n++
		}
	}
	return n
}

// begun waits until the model of an agent was called n times.
func (s *stage) begun(t *testing.T, agent string, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d calls of %s", n, agent), func() bool { return s.calls(agent) >= n })
}

// eventually polls until cond holds.
func eventually(t *testing.T, what string, cond func() bool) {
	t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(30 * time.Second); !cond(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("it did not come to that: %s", what)
		}
	}
}

// cast is a roster deep enough to go wrong in: each agent may send the next ones
// and finn the one above it, too.
func cast(cfg *config.Config) {
	agent := func(name errand.AgentName, delegates ...errand.AgentName) agents.Agent {
		return agents.Agent{Name: name, Instructions: "I am " + string(name) + ".", Delegates: delegates, MaxSteps: agents.MaxMaxSteps}
	}
	roster, err := agents.New("nikki", []agents.Agent{
		agent("nikki", "sasha", "finn", "priest"), agent("sasha", "finn", "priest"),
		agent("finn", "priest", "sasha"), agent("priest", "vera"), agent("vera"),
	}, agents.Rules{})
	if err != nil {
		panic(err) // the roster above is a good one
	}
	cfg.Roster = roster
}

// play installs errand with a stage and the cast, at test speed.
func play(t *testing.T, change func(*app.Options), tune ...func(*config.Config)) (*installation, *stage) {
	t.Helper()
	s := newStage()
	in := install(t, s, func(o *app.Options) {
		o.Settings = quick
		if change != nil {
			change(o)
		}
	}, append([]func(*config.Config){cast}, tune...)...)
	return in, s
}

// awaitTasks waits for n tasks and returns them, the newest first.
func (in *installation) awaitTasks(n int) []errand.Task {
	in.t.Helper()
	eventually(in.t, fmt.Sprintf("%d tasks", n), func() bool { return len(tasks(in)) >= n })
	return tasks(in)
}

// ended waits until a task has its outcome and its way.
func (in *installation) ended(id errand.TaskID) errand.Task {
	in.t.Helper()
	var task errand.Task
	eventually(in.t, "the end of task "+string(id), func() bool {
		var err error
		if task, err = in.Store.Task(in.t.Context(), id); err != nil {
			in.t.Fatal(err)
		}
		return task.State.Terminal() && task.Way != errand.WayUndecided
	})
	return task
}

// look lets the watchdog look at everything there is.
func (in *installation) look() {
	in.t.Helper()
	if err := in.Reconciler.Once(in.t.Context(), time.Now().Add(time.Second)); err != nil {
		in.t.Fatal(err)
	}
}

// command gives a command in chat and returns the answer.
func (in *installation) command(chat, text string) string {
	in.t.Helper()
	out, err := in.Gateway.Accept(in.t.Context(), gateway.Inbound{
		Route: errand.WebRoute(chat), Person: app.Owner, Role: errand.MasterAdmin, Text: text})
	if err != nil {
		in.t.Fatal(err)
	}
	return out.Answer
}

// heard holds once the person has read text in something errand said.
func heard(text string) func([]errand.Event) bool {
	return func(events []errand.Event) bool {
		return strings.Contains(strings.Join(said(events), "\n"), text)
	}
}
