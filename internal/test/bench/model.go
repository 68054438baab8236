package main

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/llm/scripted"
	"errand/internal/tools"
)

// instant is a model with zero latency. A message that begins with "ask" is
// delegated; "send" is delegated in the background, "team" to three agents at once; a
// sub-agent reports at once, or, when its task is to wait, once the gate is open, or does
// what its task says: see [judge], [take] and [whichDay]. Each answers the last message.
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
	if err := scripted.Pause(ctx, time.Duration(m.delay.Load())); err != nil {
		return llm.Response{}, err
	}
	t := scripted.NewTurn(r)
	said := r.Messages[len(r.Messages)-1]
	isSubAgent := strings.Contains(r.System, subAgentPrompt)
	switch {
	case isSubAgent || said.Speaker != core.FromPerson:
	case strings.HasPrefix(said.Text, aloud):
		return m.aloud(ctx, deltas)
	case strings.HasPrefix(said.Text, speak):
		return m.speak(ctx, deltas)
	}
	a := conversation.Last(t)
	if isSubAgent {
		a = tasks.Last(t)
		if said.Text == wait {
			a.Wait = m.mayReport
		}
	}
	a.Usage = core.Usage{Model: "bench", Provider: "bench", InputTokens: 100, OutputTokens: 10}
	return a.Give(ctx, deltas)
}

var (
	anything = regexp.MustCompile(`(?s).*`)

	conversation = scripted.Script{
		{Said: regexp.MustCompile(`(?m)^ask (.*)$`), Do: delegate("call_agent", "sasha")},
		{Said: regexp.MustCompile(`(?s)^send (.*)`), Do: delegate("call_agent_async", "sasha")},
		{Said: regexp.MustCompile(`(?s)^` + toPeer + `(.*)`), Do: delegate("call_agent_async", "oracle")},
		{Said: regexp.MustCompile(`(?s)^team (.*)`), Do: func(_ *scripted.Turn, m scripted.Match) (scripted.Answer, bool) {
			return called(tools.AskTeam, fmt.Sprintf(`{"agents":["sasha","finn","priest"],"task":%q}`, m.Groups[1])), true
		}},
		{Said: regexp.MustCompile(`(?m)^use (\d+) (\S+)$`), Do: func(_ *scripted.Turn, m scripted.Match) (a scripted.Answer, _ bool) {
			n, _ := strconv.Atoi(m.Groups[1]) // digits
			for range n {
				a.Calls = append(a.Calls, scripted.Call(m.Groups[2], nil))
			}
			return a, true
		}},
		{Said: anything, Text: "ok"},
		{Result: anything, Said: regexp.MustCompile(`(?s)^error.*`), Do: func(_ *scripted.Turn, m scripted.Match) (scripted.Answer, bool) {
			return scripted.Answer{Err: errors.New("a tool was not run: " + m.Text)}, true // what follows would be no measurement
		}},
		{Result: anything, Text: "ok"},
	}

	tasks = scripted.Script{
		{Said: regexp.MustCompile(`^` + judge), Do: func(t *scripted.Turn, m scripted.Match) (scripted.Answer, bool) {
			a := called(tools.SubmitVerdict, `{"answer":"YES","reasoning":"it holds","confidence":1}`)
			a.Takes = thinks(t.System, m.Text)
			return a, true
		}},
		{Said: regexp.MustCompile(`^` + regexp.QuoteMeta(whichDay) + `$`), Do: func(*scripted.Turn, scripted.Match) (scripted.Answer, bool) {
			return called(tools.AskUser, `{"question":"Which day?"}`), true
		}},
		{Said: regexp.MustCompile(`^` + take + `(\S+)$`), Do: func(_ *scripted.Turn, m scripted.Match) (scripted.Answer, bool) {
			d, err := time.ParseDuration(m.Groups[1])
			return scripted.Answer{Text: "done", Takes: d}, err == nil
		}},
		{Said: anything, Text: "done"},
		{Result: anything, Text: "done"},
	}
)

func called(tool, args string) scripted.Answer {
	return scripted.Answer{Calls: []core.ToolCall{{Name: tool, Arguments: args}}}
}

func delegate(tool, agent string) func(*scripted.Turn, scripted.Match) (scripted.Answer, bool) {
	return func(_ *scripted.Turn, m scripted.Match) (scripted.Answer, bool) {
		call := scripted.Call(tool, map[string]string{"agent": agent, "task": strings.TrimSpace(m.Groups[1])})
		return scripted.Answer{Calls: []core.ToolCall{call}}, true
	}
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

// thinks is how long the model of an agent takes to judge.
func thinks(system, task string) time.Duration {
	for _, of := range strings.Fields(task)[1:] {
		agent, long, _ := strings.Cut(of, "=")
		if strings.Contains(system, "You are "+core.AgentName(agent).Display()) {
			d, _ := time.ParseDuration(long)
			return d
		}
	}
	return 0
}

func send(ctx context.Context, a *app.App, chat, text string) error {
	route := core.WebRoute(chat)
	key := core.NewSessionKey(route, app.Owner)
	events, cancel := a.Store.Bus().Subscribe(key)
	defer cancel()
	if _, err := a.Intake.Accept(ctx, intake.Inbound{Route: route, Person: app.Owner, Role: core.MasterAdmin, Text: text}); err != nil {
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
			case core.EventReply:
				return nil
			case core.EventError:
				return errors.New(e.Text)
			}
		}
	}
}
