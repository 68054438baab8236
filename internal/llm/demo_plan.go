package llm

import (
	"encoding/json"

	openai "github.com/sashabaranov/go-openai"

	"errand"
)

// planned adds to the next calls of some research the one that says how far it is; of
// research that has come to its end it is the only one, and the last.
func (t *demoTurn) planned(calls []openai.ToolCall) []openai.ToolCall {
	if !t.offers("plan") {
		return calls
	}
	stages := []struct{ tool, text string }{{"web_search", "Search the web"}, {"web_fetch", "Read what was found"}, {"write_file", "Write notes"}}
	var items []errand.PlanItem
	for _, stage := range stages {
		_, done := t.resultOf(stage.tool)
		state := errand.PlanPending
		switch {
		case done:
			state = errand.PlanDone
		case len(calls) == 0 || !t.offers(stage.tool):
			continue // there is nothing to do it with
		case calls[0].Function.Name == stage.tool:
			state = errand.PlanDoing
		}
		items = append(items, errand.PlanItem{Text: stage.text, State: state})
	}
	raw, _ := json.Marshal(map[string]any{"items": items}) // strings always marshal
	plan := openai.ToolCall{Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: "plan", Arguments: string(raw)}}
	if t.made(-1, plan) {
		return calls
	}
	return append([]openai.ToolCall{plan}, calls...)
}
