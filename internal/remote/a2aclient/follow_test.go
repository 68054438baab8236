package a2aclient_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"errand/internal/core"
	"errand/internal/remote/a2aclient"
)

// TestFollow proves when a peer is followed, and that it is looked at when its stream says so,
// or ends, or breaks.
func TestFollow(t *testing.T) {
	const can = `{"streaming":true}`
	event := func(state string) string {
		return `{"jsonrpc":"2.0","id":"1","result":{"statusUpdate":{"taskId":"p-1","contextId":"c","status":{"state":"` + state + `"}}}}`
	}
	followed := a2aclient.Options{Stream: true}
	for _, test := range []struct {
		name   string
		card   string
		o      a2aclient.Options
		events []string
		stays  bool // the stream stays open behind them
		news   bool
		fails  bool
		want   error
	}{
		{name: "it ends", card: can, o: followed, events: []string{event("TASK_STATE_WORKING"), event("TASK_STATE_COMPLETED")}, stays: true, news: true},
		{name: "it asks", card: can, o: followed, events: []string{event("TASK_STATE_INPUT_REQUIRED")}, stays: true, news: true},
		{name: "the stream ends", card: can, o: followed, events: []string{event("TASK_STATE_WORKING")}, news: true},
		{name: "the stream breaks", card: can, o: followed, events: []string{event("TASK_STATE_WORKING"), `{"jsonrpc`}, stays: true, fails: true},
		{name: "there is none of the task", card: can, o: followed, events: []string{`{"jsonrpc":"2.0","id":"1","error":{"code":-32001,"message":"no such task"}}`}, fails: true},
		{name: "no such method", card: can, o: followed, events: []string{`{"jsonrpc":"2.0","id":"1","error":{"code":-32601,"message":"no such method"}}`}, want: core.ErrPeerNotFollowed},
		{name: "it has no streams", card: `{}`, o: followed, want: core.ErrPeerNotFollowed},
		{name: "it is not to be", card: can, want: core.ErrPeerNotFollowed},
		{name: "it pushes, too", card: `{"streaming":true,"pushNotifications":true}`, o: followed, events: []string{event("TASK_STATE_FAILED")}, stays: true, news: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScriptedServer(t)
			s.card = test.card
			s.stream = func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for _, e := range test.events {
					fmt.Fprintf(w, "data: %s\n\n", e)
					w.(http.Flusher).Flush()
				}
				if test.stays {
					<-r.Context().Done()
				}
			}
			news, err := s.peer(test.o).Follow(t.Context(), "p-1")
			if news != test.news || (err != nil) != (test.fails || test.want != nil) || test.want != nil && !errors.Is(err, test.want) || test.fails && errors.Is(err, core.ErrPeerNotFollowed) {
				t.Errorf("there is news: %v, %v", news, err)
			}
		})
	}
	t.Run("the worker ends", func(t *testing.T) {
		s := newScriptedServer(t)
		s.card = can
		ctx, end := context.WithCancel(t.Context())
		s.stream = func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			w.(http.Flusher).Flush()
			end()
			<-r.Context().Done()
		}
		if news, err := s.peer(followed).Follow(ctx, "p-1"); news || !errors.Is(err, context.Canceled) {
			t.Errorf("there is news: %v, %v", news, err)
		}
	})
}
