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

	"errand"
	"errand/internal/agents"
	"errand/internal/config"
	"errand/workflows"
)

// A scriptedPeer is an agent of another system, over JSON-RPC: each task asks something, until
// it is done.
type scriptedPeer struct {
	*httptest.Server
	capabilities string

	mu    sync.Mutex
	tasks map[string]*peerTask // by what was asked
}

// A peerTask is one task of a scriptedPeer, and with what secret it may push.
type peerTask struct {
	id, result, secret string
}

func newScriptedPeer(t *testing.T, capabilities string) *scriptedPeer {
	p := &scriptedPeer{capabilities: capabilities, tasks: map[string]*peerTask{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /card", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"name":"Oracle","capabilities":%s,"supportedInterfaces":[{"url":"%s/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`, p.capabilities, p.URL)
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
			ID            string
			Message       struct{ Parts []struct{ Text string } }
			Configuration struct {
				Push struct{ Token string } `json:"taskPushNotificationConfig"`
			}
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var task *peerTask
	if in.Method == "SendMessage" {
		text := in.Params.Message.Parts[0].Text
		task = &peerTask{id: fmt.Sprintf("p-%d", len(p.tasks)), secret: in.Params.Configuration.Push.Token}
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

// done ends a task that was asked for with a text, and returns the secret with which that may
// be pushed.
func (p *scriptedPeer) done(text, result string) (secret string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tasks[text].result = result
	return p.tasks[text].secret
}

// playPeer plays on an installation with a remote agent.
func playPeer(t *testing.T, p *scriptedPeer) *installation {
	in, _ := play(t, nil, func(c *config.Config) {
		var err error
		c.Roster, err = agents.New("nikki", []agents.Agent{
			{Name: "nikki", Instructions: "I am nikki.", Delegates: []errand.AgentName{"oracle"}, MaxSteps: agents.MaxMaxSteps},
			{Name: "oracle", Kind: errand.RemoteAgent, Description: "Knows.", NotSticky: true},
		}, agents.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		c.RemoteAgents = []config.RemoteAgent{{Name: "oracle", Card: p.URL + "/card"}}
		c.PublicURL = "https://errand.example.org"
	})
	return in
}

// TestPeerPushIsHeard proves on a real Temporal that a push of a peer has its result told at
// once, whichever header it comes with: without one, the peer would be looked at minutes later.
// Its files are in the conversation.
func TestPeerPushIsHeard(t *testing.T) {
	t.Parallel()
	peer := newScriptedPeer(t, `{"pushNotifications":true}`)
	in := playPeer(t, peer)
	for i, header := range []string{"A2A-Notification-Token", "X-A2A-Notification-Token"} {
		t.Run(header, func(t *testing.T) {
			in := in.of(t)
			chat, text, result := fmt.Sprint("push-", i), fmt.Sprint("question ", i), fmt.Sprint("forty-", i)
			key := in.send(chat, do(send("oracle", text)))
			in.openQuestion(chat)
			task := in.tasks(chat)[0]
			eventually(t, "the peer is looked at minutes later", func() bool {
				next := in.nextPoll(task.ID, "oracle")
				return next.After(time.Now().Add(limit))
			})
			secret := peer.done(text, result)
			r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+in.Address+"/a2a-push", strings.NewReader(`{}`))
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set(header, secret)
			resp, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != http.StatusNoContent {
				t.Fatalf("the push is answered with %d", resp.StatusCode)
			}
			in.until(key, hasText(result))
			in.hasPeerFiles(task.ID)
		})
	}
}

// nextPoll is when a remote agent that waits for its peer looks at it again; zero: it looks now.
func (in *installation) nextPoll(task errand.TaskID, agent errand.AgentName) time.Time {
	in.t.Helper()
	found, err := in.Client.DescribeWorkflowExecution(in.t.Context(), string(errand.SubAgentOwner(task, agent)), "")
	if err != nil {
		in.t.Fatal(err)
	}
	for _, act := range found.GetPendingActivities() {
		if act.GetActivityType().GetName() == workflows.WatchPeerActivity && act.GetNextAttemptScheduleTime() != nil {
			return act.GetNextAttemptScheduleTime().AsTime()
		}
	}
	return time.Time{}
}

// hasPeerFiles proves that the files of a scriptedPeer are named in its result and kept, for
// the person and for read_artifact, and that one is refused.
func (in *installation) hasPeerFiles(id errand.TaskID) {
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
		a, data, err := in.Service.Artifact(in.t.Context(), owner, errand.ArtifactID(id))
		if err != nil || a.Name != want.name || string(data) != want.data || !a.Within(task.Origin) || !strings.Contains(rest, want.name) {
			in.t.Errorf("file %q is %+v %q, %v", lines[i+1], a, data, err)
		}
	}
}
