package app_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"errand/internal/agents"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/test/servicetest"
)

// A scriptedPeer is an agent of another system, over JSON-RPC: each task asks something, until
// it is done.
type scriptedPeer struct {
	*httptest.Server

	mu     sync.Mutex
	tasks  map[string]*peerTask // by what was asked
	looked bool                 // errand has polled it
}

// A peerTask is one task of a scriptedPeer.
type peerTask struct{ id, result string }

func newScriptedPeer(t *testing.T) *scriptedPeer {
	p := &scriptedPeer{tasks: map[string]*peerTask{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /card", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"name":"Oracle","capabilities":{},"supportedInterfaces":[{"url":"%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, p.URL)
	})
	mux.HandleFunc("GET /map.svg", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<svg>a map</svg>") })
	mux.HandleFunc("POST /rpc", p.rpc)
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	return p
}

func (p *scriptedPeer) rpc(w http.ResponseWriter, r *http.Request) {
	var in struct {
		ID     any
		Method string
		Params struct {
			ID      string
			Message struct{ Parts []struct{ Text string } }
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var task *peerTask
	p.looked = p.looked || in.Method == "GetTask"
	if in.Method == "SendMessage" {
		text := in.Params.Message.Parts[0].Text
		task = &peerTask{id: fmt.Sprintf("p-%d", len(p.tasks))}
		p.tasks[text] = task
	}
	for _, other := range p.tasks {
		if other.id == in.Params.ID {
			task = other
		}
	}
	w.Header().Set("Content-Type", "application/json")
	id, _ := json.Marshal(in.ID)
	if task == nil {
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"error":{"code":-32001,"message":"no such task"}}`, id)
		return
	}
	stands := fmt.Sprintf(`{"id":%q,"contextId":"c","status":{"state":"TASK_STATE_INPUT_REQUIRED","message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":"Which day?"}]}}}`, task.id)
	if task.result != "" {
		stands = fmt.Sprintf(`{"id":%q,"contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":%q},{"raw":"YSxiCg==","filename":"../table.csv"},{"url":"%s/map.svg"},{"url":"http://10.0.0.1/secret"}]}]}`, task.id, task.result, p.URL)
	}
	if in.Method == "SendMessage" {
		stands = `{"task":` + stands + `}`
	}
	fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, id, stands)
}

// done ends a task that was asked for with a text.
func (p *scriptedPeer) done(text, result string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tasks[text].result = result
}

// playPeer plays on an installation with a remote agent.
func playPeer(t *testing.T, p *scriptedPeer) *installation {
	in, _ := play(t, nil, func(c *config.Config) {
		var err error
		c.Roster, err = agents.New("nikki", []agents.Agent{
			{Name: "nikki", Instructions: "I am nikki.", Delegates: []core.AgentName{"oracle"}, MaxSteps: agents.MaxMaxSteps},
			{Name: "oracle", Kind: core.RemoteAgent, Description: "Knows.", NotSticky: true},
		}, agents.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		c.RemoteAgents = []config.RemoteAgent{{Name: "oracle", Card: p.URL + "/card"}}
	})
	return in
}

// TestPeerIsPolled proves on a real Temporal that the result of a peer without streams is told
// within 10 s of its end, though it waited for an answer, and that its files are in the
// conversation.
func TestPeerIsPolled(t *testing.T) {
	t.Parallel()
	peer := newScriptedPeer(t)
	in := playPeer(t, peer)
	key := in.send("polled", do(send("oracle", "question")))
	in.openQuestion("polled")
	task := in.tasks("polled")[0]
	eventually(t, "the peer is polled before it has ended", func() bool {
		peer.mu.Lock()
		defer peer.mu.Unlock()
		return peer.looked
	})
	ended := time.Now()
	peer.done("question", "forty")
	in.until(key, hasText("forty"))
	if passed := time.Since(ended); passed > 10*time.Second {
		t.Errorf("the result is told after %s", passed)
	}
	in.hasPeerFiles(task.ID)
}

// hasPeerFiles proves that the files of a scriptedPeer are named in its result and kept, for
// the person and for read_artifact, and that one is refused.
func (in *installation) hasPeerFiles(id core.TaskID) {
	in.t.Helper()
	task, err := in.Store.Task(in.t.Context(), id)
	if err != nil {
		in.t.Fatal(err)
	}
	lines := strings.Split(task.Result, "\n")
	if len(lines) != 4 || !strings.HasPrefix(lines[3], "(a file that was not kept: secret: http://10.0.0.1/secret: the host is") {
		in.t.Fatalf("the result is %q", task.Result)
	}
	for i, want := range []struct{ name, data string }{{"table.csv", "a,b\n"}, {"map.svg", "<svg>a map</svg>"}} {
		id, rest, _ := strings.Cut(strings.TrimPrefix(lines[i+1], "[file "), ":")
		a, err := in.Store.Artifact(in.t.Context(), core.ArtifactID(id))
		if err != nil {
			in.t.Fatal(err)
		}
		_, data, err := servicetest.ReadArtifact(in.t.Context(), in.Service, owner, a.ID)
		if err != nil || a.Name != want.name || string(data) != want.data || !a.Within(task.Origin) || !strings.Contains(rest, want.name) {
			in.t.Errorf("file %q is %+v %q, %v", lines[i+1], a, data, err)
		}
	}
}
