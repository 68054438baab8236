package bench

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"errand"
	"errand/internal/app"
	"errand/internal/intake"
	"errand/internal/llm"
)

// instant is a model with zero latency. A message that begins with "ask" is
// delegated; "send" is delegated in the background; a sub-agent reports at once,
// or, when its task is to wait, once the gate is open.
type instant struct {
	gate  chan struct{}
	delay atomic.Int64 // latency after all, in nanoseconds
	calls atomic.Int64
	over  atomic.Pointer[llm.Client] // if set, it answers instead
}

func (m *instant) Complete(ctx context.Context, r llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	if over := m.over.Load(); over != nil {
		r.Model = "default"
		return over.Complete(ctx, r, deltas)
	}
	m.calls.Add(1)
	if d := time.Duration(m.delay.Load()); d > 0 {
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return llm.Response{}, context.Cause(ctx)
		}
	}
	usage := errand.Usage{Model: "bench", Provider: "bench", InputTokens: 100, OutputTokens: 10}
	last := r.Messages[len(r.Messages)-1]
	if strings.Contains(r.System, subAgentPrompt) {
		if last.Text == wait {
			select {
			case <-m.gate:
			case <-ctx.Done():
				return llm.Response{}, context.Cause(ctx)
			}
		}
		return llm.Response{Text: "done", Usage: usage}, nil
	}
	call := func(tool, task string) llm.Response {
		return llm.Response{Usage: usage, Calls: []errand.ToolCall{{ID: "c1", Name: tool, Arguments: fmt.Sprintf(`{"agent":"sasha","task":%q}`, task)}}}
	}
	if last.Speaker == errand.FromPerson {
		if task, ok := strings.CutPrefix(last.Text, "ask "); ok {
			return call("call_agent", task), nil
		}
		if task, ok := strings.CutPrefix(last.Text, "send "); ok {
			return call("call_agent_async", task), nil
		}
	}
	return llm.Response{Text: "ok", Usage: usage}, nil
}

// wait is a task that takes until the gate is open.
const wait = "wait for the gate"

// send sends text to a chat and waits for the reply.
func send(ctx context.Context, a *app.App, chat, text string) error {
	route := errand.WebRoute(chat)
	key := errand.NewSessionKey(route, app.Owner)
	events, cancel := a.Store.Bus().Subscribe(key)
	defer cancel()
	if _, err := a.Intake.Accept(ctx, intake.Inbound{Route: route, Person: app.Owner, Role: errand.MasterAdmin, Text: text}); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-events:
			if !ok {
				return errors.New("the event log ended")
			}
			switch e.Type {
			case errand.EventReply:
				return nil
			case errand.EventError:
				return errors.New(e.Text)
			}
		}
	}
}
