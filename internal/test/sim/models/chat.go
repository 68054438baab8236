package models

import (
	"encoding/json"
	"fmt"
	"net/http"

	"errand/internal/core"
	"errand/internal/llm"
)

type chatRequest struct {
	Model      string        `json:"model"`
	Messages   []chatMessage `json:"messages"`
	Stream     bool          `json:"stream"`
	ToolChoice any           `json:"tool_choice"`
	Tools      []struct {
		Function llm.Tool `json:"function"`
	} `json:"tools"`

	fields map[string]json.RawMessage
}

type chatMessage struct {
	Role             string     `json:"role"`
	Content          content    `json:"content"`
	ToolCalls        []chatCall `json:"tool_calls"`
	ToolCallID       string     `json:"tool_call_id"`
	ReasoningContent *string    `json:"reasoning_content"`
	Details          []struct {
		Text      string `json:"text"`
		Signature string `json:"signature"`
	} `json:"reasoning_details"`
}

type chatCall struct {
	ID       string `json:"id"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
	Extra struct {
		Google struct {
			Signature string `json:"thought_signature"`
		} `json:"google"`
	} `json:"extra_content"`
}

func (s *Server) chat(w http.ResponseWriter, r *http.Request) {
	var req chatRequest
	body, err := readJSON(r, &req)
	if err == nil {
		err = json.Unmarshal(body, &req.fields)
	}
	if err != nil || len(req.Messages) == 0 {
		s.refuse(w, &refusal{status: 400, message: fmt.Sprintf("the request is no chat completion: %v", err)})
		return
	}
	s.count(func(c *Counts) { c.Requests++ })
	var said []content
	for _, m := range req.Messages {
		if m.Role == "user" && m.Content.given {
			said = append(said, m.Content)
		}
	}
	why := s.maySee(req.Model, said)
	if why == nil {
		why = s.mayChat(&req)
	}
	if why != nil {
		s.refuse(w, why)
		return
	}
	used := core.Usage{InputTokens: len(body) / 4, OutputTokens: 7, CachedTokens: s.cached(string(req.fields["tools"]) + string(req.fields["messages"]))}
	out := &chatStream{stream: stream{w}, kind: s.Kind, thought: s.think()}
	if s.Kind != Plain {
		out.begin()
	}
	say := out.say
	if !req.Stream {
		say = func(llm.Delta) {}
	}
	answer, err := s.answer(r.Context(), out.thought, req.request(), say)
	if s.Model != nil {
		used = answer.Usage
	}
	switch {
	case r.Context().Err() != nil: // the client has left
	case err != nil && out.begun:
		panic(http.ErrAbortHandler)
	case err != nil:
		s.refuse(w, &refusal{status: 400, message: err.Error()})
	case req.Stream:
		out.finish(answer, out.usage(used))
	default:
		message := map[string]any{"role": "assistant", "content": answer.Text, "tool_calls": out.calls(answer)}
		answerJSON(w, http.StatusOK, map[string]any{"id": "c", "object": "chat.completion", "usage": out.usage(used),
			"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": out.finishReason(answer)}}})
	}
}

func (r *chatRequest) request() llm.Request {
	out := llm.Request{Model: r.Model, NoTools: r.ToolChoice == "none"}
	for _, tool := range r.Tools {
		out.Tools = append(out.Tools, tool.Function)
	}
	for _, m := range r.Messages {
		said := core.Message{Speaker: core.Speaker(m.Role), Text: m.Content.text, CallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			said.Calls = append(said.Calls, core.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		add(&out, said)
	}
	return out
}

// A chatStream is a streamed answer. It begins with the first piece at the latest.
type chatStream struct {
	stream
	kind    Kind
	thought thought
	begun   bool
	said    bool // a piece of text
}

func (c *chatStream) delta(d map[string]any, finish any) {
	c.send(map[string]any{"id": "c", "object": "chat.completion.chunk", "choices": []any{map[string]any{"index": 0, "delta": d, "finish_reason": finish}}})
}

func (c *chatStream) begin() {
	if c.begun {
		return
	}
	c.begun = true
	c.w.Header().Set("Content-Type", "text/event-stream")
	if c.kind == OpenRouter { // https://openrouter.ai/docs/api/reference/streaming
		c.raw(": OPENROUTER PROCESSING")
	}
	c.delta(map[string]any{"role": "assistant", "content": ""}, nil)
	c.reason()
}

func (c *chatStream) say(d llm.Delta) {
	c.begin()
	c.said = true
	c.delta(map[string]any{"content": d.Text}, nil)
}

// reason streams what the model thinks, where the kind shows it.
func (c *chatStream) reason() {
	half := len(c.thought.reasoning) / 2
	for i, piece := range []string{c.thought.reasoning[:half], c.thought.reasoning[half:]} {
		switch c.kind {
		case DeepSeek:
			c.delta(map[string]any{"content": nil, "reasoning_content": piece}, nil)
		case VLLM, Ollama:
			c.delta(map[string]any{"content": "", "reasoning": piece}, nil)
		case OpenRouter:
			d := map[string]any{"type": "reasoning.text", "text": piece, "format": "anthropic-claude-v1", "index": 0}
			if i == 1 {
				d["signature"] = c.thought.signature
			}
			c.delta(map[string]any{"content": "", "reasoning": piece, "reasoning_details": []any{d}}, nil)
		}
	}
}

// finish sends what was not streamed, and the end.
func (c *chatStream) finish(answer llm.Response, usage map[string]any) {
	c.begin()
	if !c.said && answer.Text != "" {
		c.say(llm.Delta{Text: answer.Text})
	}
	for _, call := range c.calls(answer) {
		c.delta(map[string]any{"tool_calls": []any{call}}, nil)
	}
	c.delta(map[string]any{}, c.finishReason(answer))
	c.send(map[string]any{"id": "c", "object": "chat.completion.chunk", "choices": []any{}, "usage": usage})
	c.raw("data: [DONE]")
}

func (c *chatStream) finishReason(answer llm.Response) string {
	if len(answer.Calls) > 0 && c.kind != Gemini {
		return "tool_calls"
	}
	return "stop"
}

func (c *chatStream) calls(answer llm.Response) (list []map[string]any) {
	for i, made := range answer.Calls {
		call := map[string]any{"index": i, "id": made.ID, "type": "function", "function": map[string]any{"name": made.Name, "arguments": made.Arguments}}
		switch c.kind {
		case Gemini: // no index, whole calls, the signature beside the first
			delete(call, "index")
			if i == 0 {
				call["extra_content"] = map[string]any{"google": map[string]any{"thought_signature": c.thought.signature}}
			}
		case Ollama: // 0 for every call
			call["index"] = 0
		}
		list = append(list, call)
	}
	return list
}

func (c *chatStream) usage(u core.Usage) map[string]any {
	out := map[string]any{"prompt_tokens": u.InputTokens, "completion_tokens": u.OutputTokens, "total_tokens": u.InputTokens + u.OutputTokens}
	switch c.kind {
	case DeepSeek: // https://api-docs.deepseek.com/guides/kv_cache
		out["prompt_cache_hit_tokens"], out["prompt_cache_miss_tokens"] = u.CachedTokens, u.InputTokens-u.CachedTokens
	case Plain, OpenAI, Gemini, VLLM, LlamaCpp, OpenRouter:
		out["prompt_tokens_details"] = map[string]any{"cached_tokens": u.CachedTokens}
	}
	return out
}
