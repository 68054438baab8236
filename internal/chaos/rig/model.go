package rig

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"errand"
)

// A Model is a model's provider, outside of all that is killed. It goes by tokens and by
// nothing else of a prompt. People write "say m7 k=0", "async m7 k=2", "sync m7 k=1",
// "nest m7 k=1"; a task is "work m7.1", its report "done-m7.1". A reply names the
// messages that it answers and the reports that it has read since the reply before:
// whoever reads the chats can count both. Each answer bears the number of its call.
type Model struct {
	// Pause is how long a call takes, by agent.
	Pause func(agent string) time.Duration
	// Hesitates is how long an answer to a person pauses before its last word, once the
	// rest is written, and is longer then; nil: it does not.
	Hesitates func(agent string) time.Duration

	mu    sync.Mutex
	calls []Call
}

// A Call is one that was made.
type Call struct {
	Prompt [sha256.Size]byte // who is asked, and all that is said, but for the note of the hour
	Began  time.Time
}

// Calls returns the calls until now; the number of each is its index.
func (m *Model) Calls() []Call {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.calls)
}

func (m *Model) begin(agent string, messages []modelMessage) (number int) {
	said := slices.DeleteFunc(slices.Clone(messages), func(m modelMessage) bool { return IsNote(m.Role, m.text()) })
	raw, err := json.Marshal(said[1:]) // the first are the instructions, which are the same for all of an agent's
	if err != nil {
		panic(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, Call{sha256.Sum256(append([]byte(agent+"\n"), raw...)), time.Now()})
	return len(m.calls) - 1
}

// IsNote reports whether a message is what errand tells an agent of the hour.
func IsNote(role, text string) bool {
	return role == "user" && strings.HasPrefix(errand.Unmarked(text), "[note of errand")
}

var (
	whoPattern = regexp.MustCompile(`AGENT-(\w+)`)
	askPattern = regexp.MustCompile(`\b(say|async|sync|nest) (m\d+) k=(\d)`)

	// WorkPattern is a task, DonePattern its report, CallPattern the number of a call
	// in what came of it.
	WorkPattern = regexp.MustCompile(`\bwork (m\d+\.\d+x?)( nest)?`)
	DonePattern = regexp.MustCompile(`done-(m\d+\.\d+x?)\b`)
	CallPattern = regexp.MustCompile(`\bcall_(\d+)_`)
)

type modelMessage struct {
	Role      string `json:"role"`
	Content   any    `json:"content"`
	ToolCalls []struct {
		Function struct {
			Name      string `json:"name"`
			Arguments string `json:"arguments"`
		} `json:"function"`
	} `json:"tool_calls"`
}

func (m modelMessage) text() string { s, _ := m.Content.(string); return s }

func (m modelMessage) final() bool { return m.Role == "assistant" && len(m.ToolCalls) == 0 }

type modelCall struct{ name, agent, task string }

func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"rig","object":"model"}]}`)
		return
	}
	var req struct {
		Messages []modelMessage
		Tools    []any
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil || len(req.Messages) == 0 {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	agent, text, calls := answer(req.Messages, len(req.Tools) > 0)
	number, hesitates := 0, time.Duration(0)
	if m.Hesitates != nil && len(calls) == 0 {
		if hesitates = m.Hesitates(agent); hesitates > 0 {
			text += strings.Repeat(" as it is", 10)
		}
	}
	if agent != "" {
		number = m.begin(agent, req.Messages)
		text += fmt.Sprintf(" call_%d_", number)
	}
	select {
	case <-time.After(m.Pause(agent)):
	case <-r.Context().Done():
		return
	}
	chunk := func(delta map[string]any, finish any) {
		raw, err := json.Marshal(map[string]any{"id": "c", "object": "chat.completion.chunk", "model": "rig",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
		if err != nil {
			panic(err)
		}
		fmt.Fprintf(w, "data: %s\n\n", raw)
	}
	w.Header().Set("Content-Type", "text/event-stream")
	if len(calls) == 0 {
		if hesitates > 0 {
			last := strings.LastIndex(text, " ")
			chunk(map[string]any{"role": "assistant", "content": text[:last]}, nil)
			w.(http.Flusher).Flush()
			select {
			case <-time.After(hesitates):
			case <-r.Context().Done():
				return
			}
			text = text[last:]
		}
		chunk(map[string]any{"role": "assistant", "content": text}, nil)
		chunk(map[string]any{}, "stop")
		fmt.Fprint(w, "data: [DONE]\n\n")
		return
	}
	list := make([]any, len(calls))
	for i, c := range calls {
		args, err := json.Marshal(map[string]string{"agent": c.agent, "task": c.task})
		if err != nil {
			panic(err)
		}
		list[i] = map[string]any{"index": i, "id": fmt.Sprintf("call_%d_%d", number, i), "type": "function",
			"function": map[string]any{"name": c.name, "arguments": string(args)}}
	}
	chunk(map[string]any{"role": "assistant", "tool_calls": list}, nil)
	chunk(map[string]any{}, "tool_calls")
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// answer plays the agents. An agent at work on a task looks at all of its
// transcript, for that is about the task; whoever talks with people looks at what
// came since the reply before.
func answer(messages []modelMessage, tools bool) (agent, text string, calls []modelCall) {
	who := whoPattern.FindStringSubmatch(messages[0].text())
	if who == nil {
		return "", "notes", nil // a summary, or a first try of the model
	}
	agent = who[1]
	messages = slices.DeleteFunc(messages[1:], func(m modelMessage) bool { return IsNote(m.Role, m.text()) })
	var work []string
	for _, m := range messages {
		if m.Role == "user" && work == nil {
			work = WorkPattern.FindStringSubmatch(m.text())
		}
	}
	if agent == "nikki" || work == nil {
		for i := len(messages) - 1; i >= 0; i-- {
			if messages[i].final() {
				messages = messages[i+1:]
				break
			}
		}
		work = nil
	}
	asked, done := map[string]bool{}, map[string]bool{}
	for _, m := range messages {
		for _, c := range m.ToolCalls {
			for _, task := range WorkPattern.FindAllStringSubmatch(c.Function.Arguments, -1) {
				asked[task[1]] = true
			}
		}
		if m.Role == "assistant" {
			continue
		}
		for _, token := range DonePattern.FindAllStringSubmatch(m.text(), -1) {
			done["done-"+token[1]] = true
		}
	}
	call := func(name, agent, task, more string) {
		if tools && !asked[task] {
			calls = append(calls, modelCall{name, agent, "work " + task + more})
		}
	}
	if work != nil {
		if work[2] != "" {
			name := "call_agent"
			if len(work[1])%2 == 0 {
				name = "call_agent_async"
			}
			call(name, "finn", work[1]+"x", "")
		}
		done["done-"+work[1]] = true
		return agent, sortedTokens(done), calls
	}
	answers := map[string]bool{}
	for _, m := range messages {
		if m.Role != "user" {
			continue
		}
		for _, ask := range askPattern.FindAllStringSubmatch(m.text(), -1) {
			answers[ask[2]] = true
			if ask[1] == "say" {
				continue
			}
			name, more := "call_agent_async", ""
			switch ask[1] {
			case "sync":
				name = "call_agent"
			case "nest":
				more = " nest"
			}
			for k := range max(1, int(ask[3][0]-'0')) {
				call(name, "sasha", fmt.Sprintf("%s.%d", ask[2], k), more)
			}
		}
	}
	return agent, "answers " + sortedTokens(answers) + " | " + sortedTokens(done), calls
}

func sortedTokens(seen map[string]bool) string {
	list := make([]string, 0, len(seen))
	for token := range seen {
		list = append(list, token)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}
