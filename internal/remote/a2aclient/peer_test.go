package a2aclient_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/remote/a2aclient"
)

// TestPeer proves what is sent to a peer, and how what it says is taken.
func TestPeer(t *testing.T) {
	const id = "peer-1"
	task := func(status string) string { return `{"id":"peer-1","contextId":"c","status":` + status + `}` }
	message := func(text string) string {
		return `"message":{"messageId":"m","role":"ROLE_AGENT","parts":[{"text":` + string(must(json.Marshal(text))) + `}]}`
	}
	for _, test := range []struct {
		name, answer string // to GetTask
		state        core.TaskState
		says         string
		fails        string
	}{
		{name: "working", answer: task(`{"state":"TASK_STATE_WORKING"}`), state: core.Working},
		{name: "working, and says so", answer: task(`{"state":"TASK_STATE_WORKING",` + message("Half of it.") + `}`), state: core.Working, says: "Half of it."},
		{name: "a state that is not known", answer: task(`{"state":"TASK_STATE_DREAMING"}`), state: core.Working},
		{name: "completed", answer: `{"id":"peer-1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"42\u0007"}]}]}`,
			state: core.Completed, says: "42"},
		{name: "completed with nothing", answer: task(`{"state":"TASK_STATE_COMPLETED"}`), state: core.Completed, says: "(The peer has said nothing.)"},
		{name: "completed with a message", answer: task(`{"state":"TASK_STATE_COMPLETED",` + message("done") + `}`), state: core.Completed, says: "done"},
		{name: "failed in errand's words", answer: task(`{"state":"TASK_STATE_FAILED",` + message("stopped by the user") + `}`), state: core.Failed, says: "The peer has failed: stopped by the user"},
		{name: "asks", answer: task(`{"state":"TASK_STATE_INPUT_REQUIRED",` + message("Which one?") + `}`), state: core.InputRequired, says: "Which one?"},
		{name: "wants a login", answer: task(`{"state":"TASK_STATE_AUTH_REQUIRED",` + message("Log in at example.org.") + `}`), state: core.Working, says: "Log in at example.org."},
		{name: "canceled there", answer: task(`{"state":"TASK_STATE_CANCELED"}`), state: core.Failed, says: "The task was canceled at the peer: it does not say why"},
		{name: "of another task", answer: `{"id":"peer-2","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}`, fails: "another task"},
		{name: "no JSON", answer: `{"id":`, fails: "decode"},
		{name: "too long", answer: `"` + strings.Repeat("a", 13<<20) + `"`, fails: "longer than 12 MB"},
		{name: "too deep", answer: strings.Repeat(`{"a":`, 80) + "1" + strings.Repeat("}", 80), fails: "too deep"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var asked []string
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			defer server.Close()
			mux.HandleFunc("GET /card", func(w http.ResponseWriter, r *http.Request) {
				asked = append(asked, "card "+r.Header.Get("Authorization"))
				w.Write([]byte(`{"name":"Oracle","description":"Knows.","version":"1","capabilities":{},"defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],"skills":[],
					"supportedInterfaces":[{"url":"` + server.URL + `/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`))
			})
			mux.HandleFunc("POST /rpc", func(w http.ResponseWriter, r *http.Request) {
				var in struct {
					ID     any
					Method string
					Params struct{ Message struct{ MessageID string } }
				}
				if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
					t.Error(err)
				}
				asked = append(asked, strings.TrimSpace(in.Method+" "+in.Params.Message.MessageID+" "+r.Header.Get("Authorization")))
				result := test.answer
				if in.Method == "SendMessage" {
					result = `{"task":` + task(`{"state":"TASK_STATE_SUBMITTED"}`) + `}`
				}
				w.Header().Set("Content-Type", "application/json")
				w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(must(json.Marshal(in.ID))) + `,"result":` + result + `}`))
			})
			peer := must(a2aclient.New(a2aclient.Options{Card: server.URL + "/card", Headers: map[string]string{"Authorization": "Bearer k"}}))
			began, err := peer.Start(t.Context(), core.PeerOrder{Message: "m-1", Text: "the question"})
			if err != nil || !reflect.DeepEqual(began, core.PeerTask{ID: id, Context: "c", State: core.Working}) {
				t.Fatalf("it begins as %v, %v", began, err)
			}
			got, err := peer.Poll(t.Context(), id)
			if test.fails != "" {
				if err == nil || len(err.Error()) > 400 || test.name == "too deep" && !strings.Contains(err.Error(), test.fails) {
					t.Errorf("the error is %v", err)
				}
			} else {
				waits := got.Login || got.State == core.InputRequired
				if (waits || got.State == core.Working && got.Text != "") != (got.Word != "") || got.Login != (test.name == "wants a login") || got.Canceled != (test.name == "canceled there") {
					t.Errorf("what it waits for is %+v", got)
				}
				got.Word, got.Login, got.Canceled = "", false, false
				if want := (core.PeerTask{ID: id, Context: "c", State: test.state, Text: test.says}); err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("it stands as %+v, %v, want %+v", got, err, want)
				}
			}
			if want := "card Bearer k, SendMessage m-1 Bearer k, GetTask  Bearer k"; strings.Join(asked, ", ") != want {
				t.Errorf("the peer is asked %q", asked)
			}
		})
	}
}

// TestKeyStaysWithItsHost proves that a card which leads elsewhere gets no key of the operator's.
func TestKeyStaysWithItsHost(t *testing.T) {
	leaked := false
	other := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { leaked = leaked || r.Header.Get("Authorization") != "" }))
	defer other.Close()
	home := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Write([]byte(`{"name":"Oracle","supportedInterfaces":[{"url":"` + other.URL + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`))
	}))
	defer home.Close()
	peer := must(a2aclient.New(a2aclient.Options{Card: home.URL, Headers: map[string]string{"Authorization": "Bearer k"}}))
	if _, err := peer.Start(t.Context(), core.PeerOrder{Message: "m-1", Text: "the question"}); err == nil || leaked {
		t.Errorf("a peer in the own network that no operator wrote down is spoken with: %v, with the key %v", err, leaked)
	}
}

// TestStart proves what is said of a task that a peer took strangely, or perhaps.
func TestStart(t *testing.T) {
	for name, test := range map[string]struct {
		status    int
		result    string
		elsewhere bool // the card leads to another port of its host
		maybe     bool // it may have begun
		want      core.PeerTask
	}{
		"a strange id": {result: `{"task":{"id":"a\u0000b","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}}`,
			want: core.PeerTask{State: core.Failed, Text: "The peer has given the task an id that cannot be kept: it has control characters, or more than 200 bytes. The task may go on there."}},
		"no answer that is one": {result: `{`, maybe: true},
		"broken off":            {status: 502, maybe: true},
		"not taken":             {status: 503},
		"another port":          {elsewhere: true},
	} {
		t.Run(name, func(t *testing.T) {
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			defer server.Close()
			reached := false
			other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached = true }))
			defer other.Close()
			at := server.URL
			if test.elsewhere {
				at = other.URL
			}
			mux.HandleFunc("GET /card", func(w http.ResponseWriter, r *http.Request) {
				w.Write([]byte(`{"name":"Oracle","supportedInterfaces":[{"url":"` + at + `/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`))
			})
			mux.HandleFunc("POST /rpc", func(w http.ResponseWriter, r *http.Request) {
				var in struct{ ID any }
				json.NewDecoder(r.Body).Decode(&in)
				w.Header().Set("Content-Type", "application/json")
				if test.status != 0 {
					w.WriteHeader(test.status)
				}
				w.Write([]byte(`{"jsonrpc":"2.0","id":` + string(must(json.Marshal(in.ID))) + `,"result":` + test.result + `}`))
			})
			peer := must(a2aclient.New(a2aclient.Options{Card: server.URL + "/card"}))
			got, err := peer.Start(t.Context(), core.PeerOrder{Message: "m-1", Text: "the question"})
			if !reflect.DeepEqual(got, test.want) || (err == nil) != (test.want.State != "") || errors.Is(err, core.ErrPeerMayHaveBegun) != test.maybe || reached {
				t.Errorf("it begins as %+v, %v; elsewhere %v", got, err, reached)
			}
		})
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
