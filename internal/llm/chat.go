package llm

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"errand/internal/core"
)

// chatWire is POST /chat/completions:
// https://platform.openai.com/docs/api-reference/chat
type chatWire struct{}

var _ wire = chatWire{}

// chatBody replaces the messages of go-openai, which lack fields that providers want back.
// The tools are raw JSON so that each is encoded only once.
type chatBody struct {
	openai.ChatCompletionRequest
	Messages []chatMessage     `json:"messages"`
	Tools    []json.RawMessage `json:"tools,omitempty"`
	CacheKey string            `json:"prompt_cache_key,omitempty"`
}

type chatMessage struct {
	Role string `json:"role"`
	// A string, or []openai.ChatMessagePart; nil: empty.
	Content    any        `json:"content,omitempty"`
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`

	// See chatState.
	ReasoningContent *string           `json:"reasoning_content,omitempty"`
	Reasoning        string            `json:"reasoning,omitempty"`
	ReasoningDetails []json.RawMessage `json:"reasoning_details,omitempty"`
	ExtraContent     json.RawMessage   `json:"extra_content,omitempty"`
}

type chatCall struct {
	ID           string              `json:"id"`
	Type         openai.ToolType     `json:"type"`
	Function     openai.FunctionCall `json:"function"`
	ExtraContent json.RawMessage     `json:"extra_content,omitempty"`
}

func (chatWire) open(ctx context.Context, p *provider, x *exchange, r Request, maxOutput int) (eventStream, error) {
	req, err := chatRequest(r, p.asked(r), maxOutput, p.tools)
	if err != nil {
		return nil, err
	}
	if p.alternates.Load() {
		req.Messages = alternate(req.Messages)
	}
	body, err := json.Marshal(req)
	if err != nil {
		return nil, err
	}
	x.payload = body
	// The exchange replaces the body that go-openai makes. The model's name is replaced too,
	// because go-openai itself refuses some of OpenAI's models with tools, even if another
	// server offers them.
	return x.openAI(p).CreateChatCompletionStream(ctx, openai.ChatCompletionRequest{Model: "any"})
}

func (chatWire) add(a *assembly, event []byte) (string, error) { return a.addChunk(event) }

func chatMessages(r Request, p Provider) []chatMessage {
	var out []chatMessage
	messages := wireMessages(r.System, r.Messages, r.Note, stateName(p), p.hasVision())
	for _, m := range messages {
		c := chatMessage{Role: string(m.role), Content: chatContent(m), ToolCallID: m.callID}
		for _, call := range m.calls {
			c.ToolCalls = append(c.ToolCalls, chatCall{
				ID: call.ID, Type: openai.ToolTypeFunction,
				Function: openai.FunctionCall{Name: call.Name, Arguments: call.Arguments},
			})
		}
		out = append(out, c)
	}
	giveBack(out, messages, p)
	return out
}

func chatContent(m wireMessage) any {
	switch {
	case len(m.pictures) > 0:
		return chatParts(m)
	case m.text == "":
		return nil
	}
	return m.text
}

// https://platform.openai.com/docs/guides/images-vision
func chatParts(m wireMessage) []openai.ChatMessagePart {
	var parts []openai.ChatMessagePart
	addText := func(text string) {
		if text != "" {
			parts = append(parts, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeText, Text: text})
		}
	}
	addText(m.text)
	for _, p := range m.pictures {
		addText(p.Label)
		parts = append(parts, openai.ChatMessagePart{Type: openai.ChatMessagePartTypeImageURL, ImageURL: &openai.ChatMessageImageURL{URL: dataURL(p)}})
	}
	return parts
}

// dataURL follows RFC 2397.
func dataURL(p core.Picture) string {
	return "data:" + p.Type + ";base64," + base64.StdEncoding.EncodeToString(p.Data)
}

// chatRequest takes the encoded tools from the cache known.
func chatRequest(r Request, p Provider, maxOutput int, known *encodedTools) (chatBody, error) {
	out := chatBody{
		Messages: chatMessages(r, p),
		ChatCompletionRequest: openai.ChatCompletionRequest{
			Model:         p.Model,
			Stream:        true,
			User:          r.User,
			StreamOptions: &openai.StreamOptions{IncludeUsage: true},
		},
	}
	if r.MaxOutput > 0 {
		maxOutput = r.MaxOutput
	}
	// OpenAI's newer models refuse max_tokens. Most other servers accept nothing else.
	if wantsCompletionTokens(p) {
		out.MaxCompletionTokens = maxOutput
	} else {
		//lint:ignore SA1019 Ollama, Mistral and older servers know no other name for it.
		out.MaxTokens = maxOutput
	}
	f := fieldsFor(r, p)
	out.CacheKey, out.ReasoningEffort, out.Verbosity = f.cacheKey, f.effort, f.verbosity
	for _, t := range r.Tools {
		encoded, err := known.encode(t)
		if err != nil {
			return out, fmt.Errorf("tool %s: %w", t.Name, err)
		}
		out.Tools = append(out.Tools, encoded)
	}
	switch {
	case len(r.Tools) == 0:
	case r.NoTools:
		out.ToolChoice = "none"
	case r.MustCall == AnyTool:
		out.ToolChoice = "required"
	case r.MustCall != "":
		out.ToolChoice = openai.ToolChoice{Type: openai.ToolTypeFunction, Function: openai.ToolFunction{Name: r.MustCall}}
	}
	return out, nil
}

func wantsCompletionTokens(p Provider) bool {
	if host := HostOf(p.BaseURL); host == "api.openai.com" || strings.HasSuffix(host, ".openai.azure.com") {
		return true
	}
	for _, prefix := range []string{"o1", "o3", "o4", "gpt-5", "gpt-6"} {
		if strings.HasPrefix(p.Model, prefix) {
			return true
		}
	}
	return false
}
