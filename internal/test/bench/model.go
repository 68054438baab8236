package main

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
	"errand/internal/tools"
)

// instant is a model with zero latency. A message that begins with "ask" is
// delegated; "send" is delegated in the background, "team" to three agents at once; a
// sub-agent reports at once, or, when its task is to wait, once the gate is open, or does
// what its task says: see [judge], [take] and [whichDay].
type instant struct {
	mayReport chan struct{}
	delay     atomic.Int64 // latency after all, in nanoseconds
	calls     atomic.Int64
	over      atomic.Pointer[llm.Client] // if set, it answers instead
	spoke     atomic.Int64               // when it said the first word of what it was told to speak, in nanoseconds since 1970
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
	call := func(tool, args string, values ...any) llm.Response {
		return llm.Response{Usage: usage, Calls: []errand.ToolCall{{ID: "c1", Name: tool, Arguments: fmt.Sprintf(args, values...)}}}
	}
	if strings.Contains(r.System, subAgentPrompt) {
		if last.Text == wait {
			select {
			case <-m.mayReport:
			case <-ctx.Done():
				return llm.Response{}, context.Cause(ctx)
			}
		}
		if d := thinks(r.System, last.Text); d > 0 {
			select {
			case <-time.After(d):
			case <-ctx.Done():
				return llm.Response{}, context.Cause(ctx)
			}
		}
		switch {
		case strings.HasPrefix(last.Text, judge):
			return call(tools.SubmitVerdict, `{"answer":"YES","reasoning":"it holds","confidence":1}`), nil
		case last.Text == whichDay:
			return call(tools.AskUser, `{"question":"Which day?"}`), nil
		}
		return llm.Response{Text: "done", Usage: usage}, nil
	}
	if last.Speaker == errand.FromTool && strings.HasPrefix(errand.Unmarked(last.Text), "error") {
		return llm.Response{}, errors.New("a tool was not run: " + last.Text) // what follows would be no measurement
	}
	if last.Speaker == errand.FromPerson {
		if strings.HasPrefix(last.Text, aloud) {
			return m.aloud(ctx, deltas)
		}
		if strings.HasPrefix(last.Text, speak) {
			return m.speak(ctx, deltas)
		}
		if task, ok := strings.CutPrefix(last.Text, "ask "); ok {
			return call("call_agent", `{"agent":"sasha","task":%q}`, task), nil
		}
		if task, ok := strings.CutPrefix(last.Text, "send "); ok {
			return call("call_agent_async", `{"agent":"sasha","task":%q}`, task), nil
		}
		if task, ok := strings.CutPrefix(last.Text, toPeer); ok {
			return call("call_agent_async", `{"agent":"oracle","task":%q}`, task), nil
		}
		if task, ok := strings.CutPrefix(last.Text, "team "); ok {
			return call(tools.AskTeam, `{"agents":["sasha","finn","priest"],"task":%q}`, task), nil
		}
	}
	return llm.Response{Text: "ok", Usage: usage}, nil
}

// What the tasks of sub-agents begin with.
const (
	wait     = "wait for the gate" // takes until the gate is open
	take     = "take "             // and how long the model does
	judge    = "judge "            // and how long it takes who: "judge sasha=200ms finn=4s"
	whichDay = "which day?"        // has them ask the person

	speak  = "speak"    // of a message: is answered word by word
	toPeer = "to peer " // of a message: is delegated to a remote agent, in the background
)

func thinks(system, task string) time.Duration {
	if _, ok := strings.CutPrefix(task, judge); !ok {
		after, _ := strings.CutPrefix(task, take)
		d, _ := time.ParseDuration(after) // of every other task: 0
		return d
	}
	for _, of := range strings.Fields(task)[1:] {
		agent, long, _ := strings.Cut(of, "=")
		if strings.Contains(system, "You are "+errand.AgentName(agent).Display()) {
			d, _ := time.ParseDuration(long)
			return d
		}
	}
	return 0
}

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
