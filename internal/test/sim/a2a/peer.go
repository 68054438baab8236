// Package a2a simulates an agent of another system that speaks A2A, for tests. It is at work
// on what it is sent until a test has it say something, however late, even of what was
// canceled.
package a2a

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"sync"
)

// CardPath is where its card is.
const CardPath = "/.well-known/agent-card.json"

// A State is one of A2A's task states.
type State string

// The states in which a task of the peer may be.
const (
	Working       State = "TASK_STATE_WORKING"
	InputRequired State = "TASK_STATE_INPUT_REQUIRED"
	Completed     State = "TASK_STATE_COMPLETED"
	Failed        State = "TASK_STATE_FAILED"
	Canceled      State = "TASK_STATE_CANCELED"
)

// A Peer is the agent. It is an [http.Handler], safe for concurrent use.
type Peer struct {
	Obeys bool // what is canceled is canceled; or the peer goes on

	mu    sync.Mutex
	tasks []*task // in the order in which they were begun
}

type task struct {
	id, message string // message is the id of the one that it was begun by
	text        string
	state       State
	said        int // how often it has said something
	words       string
	canceled    bool // the sender has canceled it
}

// Texts are what the peer was sent, in order: each task once.
func (p *Peer) Texts() (texts []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, t := range p.tasks {
		texts = append(texts, t.text)
	}
	return texts
}

// IsCanceled reports whether it was told that nobody wants what it was sent with a text.
func (p *Peer) IsCanceled(text string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.find(func(t *task) bool { return t.text == text })
	return t != nil && t.canceled
}

// Says has the peer say words in a state, of what it was sent with a text.
func (p *Peer) Says(text string, state State, words string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.find(func(t *task) bool { return t.text == text })
	if t == nil {
		return fmt.Errorf("the peer was not sent %q", text)
	}
	t.state, t.words, t.said = state, words, t.said+1
	return nil
}

// find returns the first task that is so, or nil. The caller holds mu.
func (p *Peer) find(is func(*task) bool) *task {
	if i := slices.IndexFunc(p.tasks, is); i >= 0 {
		return p.tasks[i]
	}
	return nil
}

// ServeHTTP serves the card, and what is called over JSON-RPC.
func (p *Peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	if r.Method == http.MethodGet {
		write(w, map[string]any{"name": "Oracle", "description": "Knows.", "version": "1", "capabilities": map[string]any{},
			"defaultInputModes": []string{"text/plain"}, "defaultOutputModes": []string{"text/plain"}, "skills": []any{},
			"supportedInterfaces": []any{map[string]any{"url": "http://" + r.Host + "/rpc", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}}})
		return
	}
	var in request
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	answer := map[string]any{"jsonrpc": "2.0", "id": in.ID}
	if result := p.call(in); result != nil {
		answer["result"] = result
	} else {
		answer["error"] = map[string]any{"code": -32001, "message": "there is no such task"}
	}
	write(w, answer)
}

type request struct {
	ID     any
	Method string
	Params struct {
		ID      string
		Message struct {
			MessageID, TaskID string
			Parts             []struct{ Text string }
		}
	}
}

// call is the result of a call; nil: it is about nothing that is known.
func (p *Peer) call(in request) any {
	p.mu.Lock()
	defer p.mu.Unlock()
	id := in.Params.ID
	if in.Method == "SendMessage" {
		id = in.Params.Message.TaskID
	}
	t := p.find(func(t *task) bool { return t.id == id })
	if in.Method == "SendMessage" && id == "" {
		t = p.begin(in)
	}
	if t == nil {
		return nil
	}
	switch in.Method {
	case "CancelTask":
		if t.canceled = true; p.Obeys {
			t.state, t.said = Canceled, t.said+1
		}
	case "SendMessage":
		return map[string]any{"task": t.view()}
	}
	return t.view()
}

// begin is the task that a message begins: once.
func (p *Peer) begin(in request) *task {
	m := in.Params.Message
	if t := p.find(func(t *task) bool { return t.message == m.MessageID }); t != nil {
		return t
	}
	t := &task{id: fmt.Sprintf("peer-%d", len(p.tasks)+1), message: m.MessageID, state: Working}
	for _, part := range m.Parts {
		t.text += part.Text
	}
	p.tasks = append(p.tasks, t)
	return t
}

func (t *task) view() map[string]any {
	status := map[string]any{"state": t.state}
	if t.words != "" {
		status["message"] = map[string]any{"messageId": fmt.Sprintf("%s-%d", t.id, t.said), "role": "ROLE_AGENT", "parts": []any{map[string]any{"text": t.words}}}
	}
	return map[string]any{"id": t.id, "contextId": "context-" + t.id, "status": status}
}

// write writes JSON. Who has hung up reads nothing.
func write(w http.ResponseWriter, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err) // maps of strings always marshal
	}
	w.Write(raw)
}
