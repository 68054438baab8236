package llm

import (
	"context"
	"encoding/json"

	openai "github.com/sashabaranov/go-openai"

	"errand/internal/core"
)

// responsesWire is POST /responses. OpenAI's newest models accept tools only here:
// https://platform.openai.com/docs/api-reference/responses
type responsesWire struct{}

var _ wire = responsesWire{}

func (responsesWire) open(ctx context.Context, p *provider, x *exchange, r Request, maxOutput int) (eventStream, error) {
	return x.openAI(p).CreateResponseStream(ctx, responsesRequest(r, p.asked(r), maxOutput))
}

// The provider stores nothing. It returns its reasoning encrypted, and the next request
// sends it back:
// https://platform.openai.com/docs/guides/reasoning#encrypted-reasoning-items
//
// In the background the provider does store the answer, because it could not be fetched
// otherwise.
func responsesRequest(r Request, p Provider, maxOutput int) openai.CreateResponseRequest {
	keep := p.Background && r.Keep != nil
	out := openai.CreateResponseRequest{
		Model:           p.Model,
		Instructions:    r.System,
		Input:           responsesInput(r, p),
		MaxOutputTokens: maxOutput,
		Background:      keep,
		Store:           &keep,
		Include:         []openai.ResponseInclude{openai.ResponseIncludeReasoningEncryptedContent},
		User:            r.User,
	}
	if r.MaxOutput > 0 {
		out.MaxOutputTokens = r.MaxOutput
	}
	for _, t := range r.Tools {
		// go-openai omits strict if it is false, and the server's default is true.
		out.Tools = append(out.Tools, openai.ResponseTool{Type: openai.ToolTypeFunction, Parameters: map[string]any{
			"name": t.Name, "description": t.Description, "parameters": wireParameters(t), "strict": t.Strict && strictSchema(t.Parameters),
		}})
	}
	switch {
	case len(r.Tools) == 0:
	case r.NoTools:
		out.ToolChoice = "none"
	case r.MustCall == AnyTool:
		out.ToolChoice = "required"
	case r.MustCall != "":
		out.ToolChoice = map[string]string{"type": "function", "name": r.MustCall}
	}
	f := fieldsFor(r, p)
	out.PromptCacheKey = f.cacheKey
	if f.effort != "" {
		out.Reasoning = &openai.ResponseReasoning{Effort: f.effort}
	}
	if f.verbosity != "" {
		out.Text = &openai.ResponseTextConfig{Verbosity: f.verbosity}
	}
	return out
}

// A responsesItem holds the whole item only for reasoning. Other items just mark their
// position in the answer.
type responsesItem struct {
	Type  string          `json:"type"`
	Phase string          `json:"phase,omitempty"` // for a message: commentary or final_answer
	Raw   json.RawMessage `json:"raw,omitempty"`   // for reasoning
}

type (
	inputMessage struct {
		Type    string `json:"type"`
		Role    string `json:"role"`
		Content any    `json:"content"`
		Phase   string `json:"phase,omitempty"`
	}
	inputCall struct {
		Type      string `json:"type"`
		CallID    string `json:"call_id"`
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	}
	inputResult struct {
		Type   string `json:"type"`
		CallID string `json:"call_id"`
		Output string `json:"output"`
	}
)

// responsesInput sends items without ids, because the server would look for the ids in its
// store.
func responsesInput(r Request, p Provider) []any {
	out := []any{}
	for _, m := range wireMessages("", r.Messages, r.Note, stateName(p), p.hasVision()) {
		switch {
		case m.role == core.FromTool:
			out = append(out, inputResult{"function_call_output", m.callID, m.text})
		case m.role == core.FromAgent:
			out = append(out, answerItems(m)...)
		default:
			out = append(out, inputMessage{Type: "message", Role: string(m.role), Content: responsesContent(m)})
		}
	}
	return out
}

// https://platform.openai.com/docs/guides/images-vision?api-mode=responses
func responsesContent(m wireMessage) any {
	if len(m.pictures) == 0 {
		return m.text
	}
	var parts []any
	addText := func(text string) {
		if text != "" {
			parts = append(parts, openai.ResponseInputText{Type: "input_text", Text: text})
		}
	}
	addText(m.text)
	for _, p := range m.pictures {
		addText(p.Label)
		parts = append(parts, openai.ResponseInputImage{Type: "input_image", ImageURL: dataURL(p), Detail: "auto"})
	}
	return parts
}

// answerItems keeps the order of items: reasoning goes before its outcome.
func answerItems(m wireMessage) []any {
	var order []responsesItem
	if m.state != nil {
		_ = json.Unmarshal(m.state, &order) // a state that cannot be read is dropped
	}
	if !fits(order, m) {
		order = nil
		if m.text != "" {
			order = append(order, responsesItem{Type: "message"})
		}
		for range m.calls {
			order = append(order, responsesItem{Type: "function_call"})
		}
	}
	last := 0
	for i, item := range order {
		if item.Type == "message" {
			last = i
		}
	}
	var out []any
	call := 0
	for i, item := range order {
		switch item.Type {
		case "message":
			if i == last { // the last message gets the whole text: the split is not stored
				out = append(out, inputMessage{Type: "message", Role: "assistant", Content: m.text, Phase: item.Phase})
			}
		case "function_call":
			c := m.calls[call]
			call++
			out = append(out, inputCall{"function_call", c.ID, c.Name, c.Arguments})
		case "reasoning":
			out = append(out, item.Raw)
		}
	}
	return out
}

func fits(order []responsesItem, m wireMessage) bool {
	messages, calls := 0, 0
	for _, item := range order {
		switch item.Type {
		case "message":
			messages++
		case "function_call":
			calls++
		}
	}
	return len(order) > 0 && calls == len(m.calls) && (messages > 0) == (m.text != "")
}
