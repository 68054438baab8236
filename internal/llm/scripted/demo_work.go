package scripted

import (
	"fmt"
	"strings"
	"time"

	"errand/internal/core"
)

// work plays a sub-agent. It spreads the time over its steps, so that a crash costs only one
// step.
func (d *demo) work(t *Turn) Answer {
	task, again := taskOf(t)
	mayCall := !t.Request.NoTools
	total := askedTime(task)
	if total == 0 && !d.Instant {
		total = d.Work
	}
	if t.Rounds() == 0 && !again && mayCall {
		if calls := delegations(t, task); len(calls) > 0 {
			return Answer{Calls: calls}
		}
	}
	step := total
	switch {
	case hasDelegated(t):
		step = 0 // the time in the task was meant for the other agent
		if !d.Instant {
			step = d.Work / 3
		}
	case d.Instant || again:
	case t.Offers("web_search") && t.Offers("web_fetch"):
		step = total / (researchSteps + 1)
		if calls := planned(t, research(t, task)); len(calls) > 0 && mayCall {
			return Answer{Calls: calls, Takes: step}
		}
	default:
		var notes []core.ToolCall
		if t.Offers("list_working_memory") {
			notes = append(notes, Call("list_working_memory", map[string]string{"prefix": ""}))
		}
		if t.Offers("recall") {
			notes = append(notes, Call("recall", map[string]string{"key": "notes"}))
		}
		step = total / time.Duration(len(notes)+1)
		if n := t.Rounds(); n < len(notes) && mayCall {
			return Answer{Calls: notes[n : n+1], Takes: step}
		}
	}
	if t.Offers("submit_verdict") && mayCall {
		verdict := core.ToolCall{Name: "submit_verdict", Arguments: `{"answer": "YES", "confidence": 0.5, ` +
			`"reasoning": "The offline demonstration model agrees to everything, and has looked at nothing."}`}
		return Answer{Calls: []core.ToolCall{verdict}, Takes: step}
	}
	return Answer{Text: report(t, task), Takes: step}
}

func taskOf(t *Turn) (task string, again bool) {
	for _, m := range t.Since {
		if m.Speaker == core.FromPerson {
			task += m.Text + "\n"
		}
	}
	if task != "" {
		return strings.TrimSpace(task), false
	}
	for _, m := range t.Before {
		if m.Speaker == core.FromPerson {
			return strings.TrimSpace(m.Text), true
		}
	}
	return "", true
}

func hasDelegated(t *Turn) bool {
	return t.Called("call_agent") || t.Called("call_agent_async")
}

func report(t *Turn, task string) string {
	if !hasDelegated(t) && t.Called("web_search") {
		return researched(t, task)
	}
	head := fmt.Sprintf("Demonstration report on %q.", Cut(task, 120))
	results := Turn{Before: t.Before}
	for _, m := range t.Since {
		if m.Speaker != core.FromPerson {
			results.Since = append(results.Since, m)
		}
	}
	if told := talk.Answer(&results).Text; told != "" {
		return head + "\n\n" + told
	}
	return head + " The offline demonstration model wrote this: nothing was looked up, so take none of it for a fact.\n\n" +
		"1. What was asked: " + Cut(task, 400) + "\n" +
		"2. What a real model would do here: gather sources, weigh them, and name what is uncertain.\n" +
		"3. What this shows: the errand was stored, worked on in steps, and brought back to the chat that asked for it."
}
