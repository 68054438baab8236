package app_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"errand/api"
	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/ops"
)

// A speaking model says the first half of what it says, and the second when it may.
type speaking struct {
	second bool      // it is the second worker's
	spoke  chan bool // which of them has said the first half
	goOn   chan struct{}
}

func (m speaking) Complete(ctx context.Context, _ llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	deltas(llm.Delta{Text: "One, "})
	deltas(llm.Delta{Text: "two, "})
	m.spoke <- m.second
	select {
	case <-m.goOn:
	case <-ctx.Done():
		return llm.Response{}, context.Cause(ctx)
	}
	deltas(llm.Delta{Text: "three."})
	return llm.Response{Text: "One, two, three.", Usage: core.Usage{Model: "speaking", Provider: "test", InputTokens: 1, OutputTokens: 1}}, nil
}

// TestFollowedAtAnotherWorker proves that who has asked at one worker reads what an agent
// says while it says it, and its reply once, whichever worker runs the turn.
func TestFollowedAtAnotherWorker(t *testing.T) {
	shared := sharedDatabase(t)
	spoke, goOn := make(chan bool), make(chan struct{})
	first := install(t, speaking{false, spoke, goOn}, nil, shared)
	second := install(t, speaking{true, spoke, goOn}, nil, shared, at(t, first))
	eventually(t, "both hear each other", func() bool { return first.Store.Bus().Live() && second.Store.Bus().Live() })
	ran := map[bool]int{}
	for i := 0; ran[false] < 2 || ran[true] < 2; i++ {
		if i == 50 {
			t.Fatalf("one of the workers runs nothing: %v", ran)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		chat := core.WebRoute(fmt.Sprint("chat", i))
		half, text := make(chan struct{}), ""
		in := api.SendMessageInput{ChatName: api.ChatName{Chat: chat.Chat}, Event: func(e core.Event) error {
			if e.Type == core.EventDelta {
				if text += e.Text; text == "One, two, " {
					close(half)
				}
			}
			return nil
		}}
		in.Body.Text = "count"
		done := make(chan error, 1)
		var reply api.MessageAnswer
		go func() {
			var err error
			reply, err = ops.Do(ctx, second.Service.Runner, api.SendMessage, owner, in)
			done <- err
		}()
		ran[<-spoke]++
		select {
		case <-half:
		case err := <-done:
			t.Fatalf("it ended before its half was heard: %v, %q", err, text)
		case <-ctx.Done():
			t.Fatal("the half was not heard")
		}
		goOn <- struct{}{}
		if err := <-done; err != nil || reply.MessageReply == nil || reply.Event.Text != "One, two, three." {
			t.Errorf("the reply is %v, %v", reply, err)
		}
		cancel()
		events, err := second.Store.Events(t.Context(), core.NewSessionKey(chat, owner.Person), 0, 0)
		if err != nil || len(textsOf(events)) != 1 {
			t.Errorf("the log is %v\n%s", err, show(events))
		}
	}
}
