package llmtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
)

// A Stage is a model that plays every agent. What an agent is told says what it
// does: see [Do], "wait NAME", "wait 3h", "after NAME …", "fail" and "loop"; anything else it
// echoes. What its tools answer it tells. Instructions begin with "I am NAME.".
type Stage struct {
	*Model
	// Sleep waits where an agent is told to wait for a time; default: on the clock of
	// package time.
	Sleep func(context.Context, time.Duration) error

	mu      sync.Mutex
	signals map[string]chan struct{}
	fails   map[string]error
	parts   map[string][]string
}

// NewStage returns a stage on which nothing has happened.
func NewStage() *Stage {
	s := &Stage{Sleep: sleep, signals: map[string]chan struct{}{}, fails: map[string]error{}, parts: map[string][]string{}}
	s.Model = Func(s.play)
	return s
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A ToolCall is one that an agent is told to make.
type ToolCall struct {
	Tool string
	Args string
}

// Do tells an agent to make calls, all in one step.
func Do(calls ...ToolCall) string {
	b, err := json.Marshal(calls)
	if err != nil {
		panic(err) // strings always marshal
	}
	return "do " + string(b)
}

// Use is a call of a tool.
func Use(name string, args map[string]string) ToolCall {
	b, err := json.Marshal(args)
	if err != nil {
		panic(err) // strings always marshal
	}
	return ToolCall{name, string(b)}
}

// Ask delegates a task and waits for it.
func Ask(agent, task string) ToolCall {
	return Use("call_agent", map[string]string{"agent": agent, "task": task})
}

// Send delegates a task and goes on.
func Send(agent, task string) ToolCall {
	return Use("call_agent_async", map[string]string{"agent": agent, "task": task})
}

func (s *Stage) signal(name string) chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.signals[name] == nil {
		s.signals[name] = make(chan struct{})
	}
	return s.signals[name]
}

// Open releases the waiters for name.
func (s *Stage) Open(name string) { close(s.signal(name)) }

// await waits for a gate to open or, where its name is one, for a time to pass.
func (s *Stage) await(ctx context.Context, name string) error {
	if d, err := time.ParseDuration(name); err == nil && d > 0 { // "0" is a name
		return s.Sleep(ctx, d)
	}
	select {
	case <-s.signal(name):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Failing makes the model of the agent called name fail; nil ends that.
func (s *Stage) Failing(name string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails[name] = err
}

func (s *Stage) failure(agent string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.fails[agent]
}

// Plays has the agent called name do what these lines say, one in each of its next calls,
// whatever it is told: agents that are given the same task answer differently. A line
// that begins with "say " is answered with the rest of it.
func (s *Stage) Plays(name string, lines ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.parts[name] = append(s.parts[name], lines...)
}

// part is the next line that an agent plays; false: it does what it is told.
func (s *Stage) part(agent string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := s.parts[agent]
	if len(lines) == 0 {
		return "", false
	}
	s.parts[agent] = lines[1:]
	return lines[0], true
}

func (s *Stage) play(ctx context.Context, r llm.Request) Reply {
	if err := s.failure(OnStage(r)); err != nil {
		return Fail(err)
	}
	lines, results := Given(r)
	if part, ok := s.part(OnStage(r)); ok {
		lines, results = []string{part}, nil
	}
	if first := r.Messages[0].Text; first == "loop" {
		lines = []string{first}
	}
	if len(lines) > 0 {
		last := lines[len(lines)-1]
		if strings.HasPrefix(last, "[reminder ") { // it does what it is reminded of
			_, last, _ = strings.Cut(last, "] ")
		}
		if head, said, ok := strings.Cut(last, ":]\n"); ok && strings.HasPrefix(head, "[") { // what errand has put in front
			last = said
		}
		if rest, ok := strings.CutPrefix(last, "after "); ok {
			var name string
			name, last, _ = strings.Cut(rest, " ")
			if err := s.await(ctx, name); err != nil {
				return Fail(err)
			}
		}
		if name, ok := strings.CutPrefix(last, "wait "); ok {
			if err := s.await(ctx, name); err != nil {
				return Fail(err)
			}
			return Text("done " + name)
		}
		if text, ok := strings.CutPrefix(last, "say "); ok {
			return Text(text)
		}
		if last == "fail" {
			return Fail(&llm.Error{Kind: llm.Refused})
		}
		if last == "loop" {
			return Call("c1", "remember", `{"key":"k","value":"v"}`)
		}
		if list, ok := strings.CutPrefix(last, "do "); ok {
			var calls []ToolCall
			if err := json.Unmarshal([]byte(list), &calls); err != nil {
				return Text(err.Error())
			}
			var reply Reply
			for i, c := range calls {
				reply.Calls = append(reply.Calls, core.ToolCall{ID: fmt.Sprintf("c%d", i), Name: c.Tool, Arguments: c.Args})
			}
			return reply
		}
	}
	var parts []string
	if len(results) > 0 {
		parts = append(parts, "told: "+strings.Join(results, " | "))
	}
	if len(lines) > 0 {
		parts = append(parts, "you said "+strings.Join(lines, " + "))
	}
	return Text(strings.Join(parts, "; "))
}

// Given returns what a request asks for: what people have said and tools have
// answered since the agent spoke last.
func Given(r llm.Request) (lines, results []string) {
	for _, m := range r.Messages {
		switch {
		case m.Speaker == core.FromAgent && len(m.Calls) == 0:
			lines, results = nil, nil
		case m.Speaker == core.FromAgent && strings.HasPrefix(m.Calls[0].ID, "fold-"):
			// A late result, put into the transcript for this turn.
		case m.Speaker == core.FromAgent:
			lines, results = nil, nil
		case m.Speaker == core.FromTool:
			results = append(results, m.Text)
		default:
			lines = append(lines, m.Text)
		}
	}
	return lines, results
}

// OnStage returns the name of the agent whose call it is, by its instructions.
func OnStage(r llm.Request) string {
	rest, _ := strings.CutPrefix(r.System, "I am ")
	name, _, _ := strings.Cut(rest, ".")
	return name
}

// Called returns how many calls of an agent's model have begun.
func (s *Stage) Called(agent string) int {
	n := 0
	for _, r := range s.Requests() {
		if OnStage(r) == agent {
			n++
		}
	}
	return n
}
