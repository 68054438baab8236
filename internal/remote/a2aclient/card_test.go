package a2aclient_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"errand/internal/core"
	"errand/internal/remote/a2aclient"
)

// TestCardChanges proves that a peer whose card changes is reached by the new one as soon as
// the old one leads nowhere; and that a card which is gone, or none any more, is an error like a
// peer that is away.
func TestCardChanges(t *testing.T) {
	const task = `"result":{"id":"p-1","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}`
	card, served := "", ""
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	mux.HandleFunc("GET /card", func(w http.ResponseWriter, _ *http.Request) {
		if card == "" {
			w.WriteHeader(http.StatusNotFound)
		}
		fmt.Fprint(w, card)
	})
	mux.HandleFunc("POST /{at}", func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			ID     any
			Method string
		}
		if r.PathValue("at") != served || json.NewDecoder(r.Body).Decode(&in) != nil {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		result := task
		if in.Method == "SendMessage" {
			result = `"result":{"task":` + strings.TrimPrefix(task, `"result":`) + `}`
		}
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,%s}`, must(json.Marshal(in.ID)), result)
	})
	is := func(at string) {
		served = at
		card = `{"name":"Oracle","capabilities":{},"supportedInterfaces":[{"url":"` + server.URL + "/" + at + `","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
	}
	peer := must(a2aclient.New(a2aclient.Options{Card: server.URL + "/card"}))
	start := func() error {
		_, err := peer.Start(t.Context(), core.PeerOrder{Message: "m", Text: "the question"})
		return err
	}
	look := func() error { _, err := peer.Poll(t.Context(), "p-1"); return err }
	works := func(what string, do func() error) {
		t.Helper()
		if err := do(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	fails := func(what string, do func() error) {
		t.Helper()
		if err := do(); err == nil {
			t.Errorf("%s: it is no error", what)
		}
	}

	is("old")
	works("as it is", start)
	is("new")
	fails("at the old address", look)
	works("at the new address", look)
	works("another task", start)

	served = "nowhere"
	fails("moved, with the card of before", look)
	fails("moved, with the card of before", look)
	card = ""
	fails("without a card", look)
	card = `{"name":`
	fails("with half a card", look)
	card = `{"name":"Oracle","supportedInterfaces":[]}`
	fails("with a card that leads nowhere", look)
	card = `{"name":"Oracle","supportedInterfaces":[{"url":"http://10.0.0.1/rpc","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]}`
	fails("with a card that leads into a private network", look)
	is("back")
	works("back again", look)
}

// TestOlderPeer proves that an agent of version 0.3 is reached by either binding that its card
// names.
func TestOlderPeer(t *testing.T) {
	const task = `{"kind":"task","id":"p-1","contextId":"c","status":{"state":"completed"},"artifacts":[{"artifactId":"a","parts":[{"kind":"text","text":"42"}]}]}`
	const rest = `{"id":"p-1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},"artifacts":[{"artifactId":"a","parts":[{"text":"42"}]}]}`
	for _, binding := range []string{"JSONRPC", "HTTP+JSON"} {
		t.Run(binding, func(t *testing.T) {
			mux := http.NewServeMux()
			server := httptest.NewServer(mux)
			defer server.Close()
			mux.HandleFunc("GET /card", func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprintf(w, `{"name":"Oracle","description":"Knows.","version":"1","protocolVersion":"0.3.0","url":"%s/a2a","preferredTransport":"%s","capabilities":{},"defaultInputModes":[],"defaultOutputModes":[],"skills":[]}`, server.URL, binding)
			})
			mux.HandleFunc("POST /a2a", func(w http.ResponseWriter, r *http.Request) {
				var in struct{ ID any }
				json.NewDecoder(r.Body).Decode(&in)
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"jsonrpc":"2.0","id":%s,"result":%s}`, must(json.Marshal(in.ID)), task)
			})
			mux.HandleFunc("POST /a2a/v1/message:send", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprintf(w, `{"task":%s}`, rest)
			})
			mux.HandleFunc("GET /a2a/v1/tasks/p-1", func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				fmt.Fprint(w, rest)
			})
			peer := must(a2aclient.New(a2aclient.Options{Card: server.URL + "/card"}))
			begun, err := peer.Start(t.Context(), core.PeerOrder{Message: "m", Text: "the question"})
			if err != nil || begun.Text != "42" {
				t.Errorf("it begins as %+v, %v", begun, err)
			}
			stands, err := peer.Poll(t.Context(), "p-1")
			if err != nil || stands.Text != "42" || stands.ID != "p-1" {
				t.Errorf("it stands as %+v, %v", stands, err)
			}
		})
	}
}
