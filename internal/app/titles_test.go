package app_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/app"
	"errand/internal/llm"
	"errand/internal/store"
)

// A namer is a model that waits for a word of the test before it names a conversation.
type namer struct {
	activities.Model
	asked chan context.Context
	name  chan string
}

func (n *namer) Complete(ctx context.Context, r llm.Request, send func(llm.Delta)) (llm.Response, error) {
	if !strings.HasPrefix(r.System, "You write titles of conversations") {
		return n.Model.Complete(ctx, r, send)
	}
	n.asked <- ctx
	select {
	case name := <-n.name:
		return llm.Response{Text: name}, nil
	case <-ctx.Done():
		return llm.Response{}, ctx.Err()
	}
}

// TestChatsAreNamedBesideTheWatchdog proves that a model names chats where one is
// configured, and that the watchdog makes its pass while that model thinks.
func TestChatsAreNamedBesideTheWatchdog(t *testing.T) {
	t.Parallel()
	n := &namer{asked: make(chan context.Context, 10), name: make(chan string)}
	in, _ := play(t, func(o *app.Options) { n.Model, o.Model = o.Model, n })
	in.until(in.send("trains", "which trains go to Oslo?"), replies(1))
	in.stop()
	in.opts.Config.Sessions.TitleModel = "default"
	in.start()
	var naming context.Context
	select {
	case naming = <-n.asked:
	case <-time.After(limit):
		t.Fatal("no model is asked for a name")
	}
	in.reconcile()
	if err := naming.Err(); err != nil {
		t.Fatalf("the pass was over when the call was: %v", err)
	}
	n.name <- "Trains to Oslo"
	eventually(t, "the title", func() bool {
		chats, err := in.Store.Chats(t.Context(), app.Owner, store.Page{})
		return err == nil && len(chats) == 1 && chats[0].Title == "Trains to Oslo"
	})
}
