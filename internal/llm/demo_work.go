package llm

import (
	"fmt"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"
)

// work plays a sub-agent: it delegates what the task says is somebody else's,
// looks at its notes where it can, and reports. The time it takes is spread
// over its steps, so that a crash in the middle costs one of them.
func (d *demo) work(t demoTurn, format *openai.ChatCompletionResponseFormat) demoAnswer {
	task, answered := t.task()
	rounds := 0
	for _, m := range t.tail {
		if len(m.ToolCalls) > 0 {
			rounds++
		}
	}
	total := askedTime(task)
	if total == 0 && !d.Instant {
		total = d.Work
	}
	if rounds == 0 && !answered && !t.mute {
		if calls := t.calls(task); len(calls) > 0 {
			return demoAnswer{calls: numbered(calls)}
		}
	}
	busyCalls := t.busyCalls()
	if t.researches() && busyCalls == nil {
		busyCalls = []openai.ToolCall{}
	}
	if d.Instant || answered || t.delegated() {
		busyCalls = nil
	}
	step := total / time.Duration(len(busyCalls)+1)
	if busyCalls != nil && t.researches() {
		step = total / (researchSteps + 1)
		if calls := t.planned(t.research(task)); len(calls) > 0 && !t.mute {
			return demoAnswer{calls: numbered(calls), takes: step}
		}
		busyCalls = nil
	}
	if rounds < len(busyCalls) && !t.mute {
		return demoAnswer{calls: numbered(busyCalls[rounds : rounds+1]), takes: step}
	}
	if t.delegated() {
		step = 0 // the time in the task was for whom it went to
		if !d.Instant {
			step = d.Work / 3
		}
	}
	if t.offers("submit_verdict") && !t.mute {
		return demoAnswer{calls: numbered([]openai.ToolCall{demoVerdict()}), takes: step}
	}
	if format != nil && format.JSONSchema != nil {
		return demoAnswer{text: demoJSON(format.JSONSchema), takes: step}
	}
	return demoAnswer{text: t.report(task), takes: step}
}

func demoVerdict() openai.ToolCall {
	return openai.ToolCall{Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: "submit_verdict",
		Arguments: `{"answer": "YES", "reasoning": "The offline demonstration model agrees to everything, and has looked at nothing.", "confidence": 0.5}`}}
}

// task is what the sub-agent was told to do, and whether it has already
// answered once, and is now asked again.
func (t *demoTurn) task() (text string, answered bool) {
	for _, m := range t.tail {
		if m.Role == openai.ChatMessageRoleUser {
			text += m.Content + "\n"
		}
	}
	if text != "" {
		return strings.TrimSpace(text), false
	}
	for _, m := range t.before {
		if m.Role == openai.ChatMessageRoleUser {
			return strings.TrimSpace(m.Content), true
		}
	}
	return "", true
}

func (t *demoTurn) busyCalls() []openai.ToolCall {
	var out []openai.ToolCall
	if t.offers("list_working_memory") {
		out = append(out, demoCall("list_working_memory", map[string]string{"prefix": ""}))
	}
	if t.offers("recall") {
		out = append(out, demoCall("recall", map[string]string{"key": "notes"}))
	}
	return out
}

func (t *demoTurn) delegated() bool {
	for _, m := range t.tail {
		for _, c := range m.ToolCalls {
			if c.Function.Name == "call_agent" || c.Function.Name == "call_agent_async" {
				return true
			}
		}
	}
	return false
}

// report is what the sub-agent hands in: plausible in its shape, and clearly no
// more than a demonstration.
func (t *demoTurn) report(task string) string {
	if text := t.researched(task); text != "" && !t.delegated() {
		return text
	}
	var reports []string
	for i, m := range t.tail {
		if m.Role == openai.ChatMessageRoleTool {
			if s := t.relay(i); s != "" {
				reports = append(reports, s)
			}
		}
	}
	if len(reports) > 0 {
		return fmt.Sprintf("Demonstration report on %q.\n\n%s", cut(task, 120), strings.Join(reports, "\n\n"))
	}
	return fmt.Sprintf("Demonstration report on %q. The offline demonstration model wrote this: nothing was looked up, so take none of it for a fact.\n\n"+
		"1. What was asked: %s\n"+
		"2. What a real model would do here: gather sources, weigh them, and name what is uncertain.\n"+
		"3. What this shows: the errand was stored, worked on in steps, and brought back to the chat that asked for it.",
		cut(task, 120), cut(task, 400))
}
