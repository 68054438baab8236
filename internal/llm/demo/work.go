package demo

import (
	"fmt"
	"strings"
	"time"

	"errand"
	"errand/internal/llm/scripted"
)

// work plays a sub-agent: it delegates what the task says another agent is to do, looks at
// its notes or looks the task up where it can, and reports. The time it takes is spread
// over its steps, so that a crash in the middle costs one of them.
func (d *demo) work(t *scripted.Turn) scripted.Answer {
	task, again := taskOf(t)
	mayCall := !t.Request.NoTools
	total := askedTime(task)
	if total == 0 && !d.Instant {
		total = d.Work
	}
	if t.Rounds() == 0 && !again && mayCall {
		if calls := delegations(t, task); len(calls) > 0 {
			return scripted.Answer{Calls: calls}
		}
	}
	step := total
	switch {
	case hasDelegated(t):
		step = 0 // the time in the task was for the other agent
		if !d.Instant {
			step = d.Work / 3
		}
	case d.Instant || again:
	case t.Offers("web_search") && t.Offers("web_fetch"):
		step = total / (researchSteps + 1)
		if calls := planned(t, research(t, task)); len(calls) > 0 && mayCall {
			return scripted.Answer{Calls: calls, Takes: step}
		}
	default:
		var notes []errand.ToolCall
		if t.Offers("list_working_memory") {
			notes = append(notes, scripted.Call("list_working_memory", map[string]string{"prefix": ""}))
		}
		if t.Offers("recall") {
			notes = append(notes, scripted.Call("recall", map[string]string{"key": "notes"}))
		}
		step = total / time.Duration(len(notes)+1)
		if n := t.Rounds(); n < len(notes) && mayCall {
			return scripted.Answer{Calls: notes[n : n+1], Takes: step}
		}
	}
	if t.Offers("submit_verdict") && mayCall {
		verdict := errand.ToolCall{Name: "submit_verdict", Arguments: `{"answer": "YES", "confidence": 0.5, ` +
			`"reasoning": "The offline demonstration model agrees to everything, and has looked at nothing."}`}
		return scripted.Answer{Calls: []errand.ToolCall{verdict}, Takes: step}
	}
	return scripted.Answer{Text: report(t, task), Takes: step}
}

// taskOf is what the sub-agent was told to do, and whether it has already answered once
// and is asked again.
func taskOf(t *scripted.Turn) (task string, again bool) {
	for _, m := range t.Since {
		if m.Speaker == errand.FromPerson {
			task += m.Text + "\n"
		}
	}
	if task != "" {
		return strings.TrimSpace(task), false
	}
	for _, m := range t.Before {
		if m.Speaker == errand.FromPerson {
			return strings.TrimSpace(m.Text), true
		}
	}
	return "", true
}

func hasDelegated(t *scripted.Turn) bool {
	return t.Called("call_agent") || t.Called("call_agent_async")
}

// report is what the sub-agent hands in: plausible in its shape, and clearly no more than
// a demonstration.
func report(t *scripted.Turn, task string) string {
	if !hasDelegated(t) && t.Called("web_search") {
		return researched(t, task)
	}
	head := fmt.Sprintf("Demonstration report on %q.", scripted.Cut(task, 120))
	results := scripted.Turn{Before: t.Before}
	for _, m := range t.Since {
		if m.Speaker != errand.FromPerson {
			results.Since = append(results.Since, m)
		}
	}
	if told := talk.Answer(&results).Text; told != "" {
		return head + "\n\n" + told
	}
	return head + " The offline demonstration model wrote this: nothing was looked up, so take none of it for a fact.\n\n" +
		"1. What was asked: " + scripted.Cut(task, 400) + "\n" +
		"2. What a real model would do here: gather sources, weigh them, and name what is uncertain.\n" +
		"3. What this shows: the errand was stored, worked on in steps, and brought back to the chat that asked for it."
}
