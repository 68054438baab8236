package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"errand/internal/agents"
	"errand/internal/config"
	"errand/internal/core"
)

// An otherSystem is a peer that says what a test has it say.
type otherSystem struct {
	url string

	mu    sync.Mutex
	tasks []*otherTask
}

// An otherTask is one task of a peer.
type otherTask struct {
	text     string   // by which it was begun
	state    string   // in A2A's words
	says     string   // with that state
	said     int      // how often the state has changed
	answers  []string // messages that came after the first
	contexts []string // with which those came
}

func newOtherSystem(t *testing.T) *otherSystem {
	t.Helper()
	o := &otherSystem{}
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	o.url = server.URL
	mux.HandleFunc("GET /card", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"name":"Oracle","description":"Knows.","version":"1","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[],
			"supportedInterfaces":[{"url":"%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, o.url)
	})
	mux.HandleFunc("POST /rpc", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ID     any
			Method string
			Params struct {
				ID      string
				Message struct {
					TaskID, ContextID string
					Parts             []struct{ Text string }
				}
			}
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			t.Error(err)
			return
		}
		o.mu.Lock()
		defer o.mu.Unlock()
		var result any
		switch in.Method {
		case "SendMessage":
			m := in.Params.Message
			id := m.TaskID
			if id == "" {
				o.tasks = append(o.tasks, &otherTask{text: m.Parts[0].Text, state: "WORKING"})
				id = fmt.Sprintf("peer-%d", len(o.tasks))
			} else if task := o.tasks[o.index(id)]; task != nil {
				task.answers, task.contexts = append(task.answers, m.Parts[0].Text), append(task.contexts, m.ContextID)
				task.state, task.said = "WORKING", task.said+1
			}
			result = map[string]any{"task": o.wire(id)}
		case "CancelTask":
			task := o.tasks[o.index(in.Params.ID)]
			task.state, task.said = "CANCELED", task.said+1
			result = o.wire(in.Params.ID)
		default:
			result = o.wire(in.Params.ID)
		}
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(map[string]any{"jsonrpc": "2.0", "id": in.ID, "result": result}); err != nil {
			t.Error(err)
		}
	})
	return o
}

func (o *otherSystem) index(id string) int {
	var n int
	fmt.Sscanf(id, "peer-%d", &n)
	return n - 1
}

func (o *otherSystem) wire(id string) any {
	task := o.tasks[o.index(id)]
	status := map[string]any{"state": "TASK_STATE_" + task.state}
	if task.says != "" {
		status["message"] = map[string]any{"messageId": fmt.Sprintf("%s-%d", id, task.said), "role": "ROLE_AGENT", "parts": []any{map[string]any{"text": task.says}}}
	}
	return map[string]any{"id": id, "contextId": "context-of-" + id, "status": status}
}

// has returns the task that was begun with a text; nil: none was.
func (o *otherSystem) has(text string) *otherTask {
	o.mu.Lock()
	defer o.mu.Unlock()
	i := slices.IndexFunc(o.tasks, func(task *otherTask) bool { return strings.Contains(task.text, text) })
	if i < 0 {
		return nil
	}
	seen := *o.tasks[i]
	return &seen
}

// say waits until a task was begun with a text, and has it say something.
func (o *otherSystem) say(t *testing.T, text, state, says string) {
	t.Helper()
	eventually(t, "the task at the peer: "+text, func() bool { return o.has(text) != nil })
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, task := range o.tasks {
		if strings.Contains(task.text, text) {
			task.state, task.says, task.said = state, says, task.said+1
		}
	}
}

func (o *otherSystem) worksFor(c *config.Config) {
	var err error
	c.Roster, err = agents.New("nikki", []agents.Agent{
		{Name: "nikki", Instructions: "I am nikki.", Delegates: []core.AgentName{"oracle"}, MaxSteps: agents.MaxMaxSteps},
		{Name: "oracle", Kind: core.RemoteAgent, Description: "Knows.", NotSticky: true},
	}, agents.Rules{})
	if err != nil {
		panic(err)
	}
	c.RemoteAgents = []config.RemoteAgent{{Name: "oracle", Card: o.url + "/card"}}
}
