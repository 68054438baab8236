package models

import (
	"encoding/json"
	"fmt"
	"net/http"
)

type chatRequest struct {
	Model      string        `json:"model"`
	Messages   []chatMessage `json:"messages"`
	Stream     bool          `json:"stream"`
	ToolChoice any           `json:"tool_choice"`
	Tools      []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`

	fields map[string]json.RawMessage
}

type chatMessage struct {
	Role             string     `json:"role"`
	Content          *content   `json:"content"`
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
		Name string `json:"name"`
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
	if err != nil {
		s.refuse(w, &refusal{status: 400, message: err.Error()})
		return
	}
	s.count(func(c *Counts) { c.Requests++ })
	var said []content
	for _, m := range req.Messages {
		if m.Role == "user" && m.Content != nil {
			said = append(said, *m.Content)
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
	cached := s.cached(string(req.fields["tools"]) + string(req.fields["messages"]))
	a := s.next(req.turn())
	w.Header().Set("Content-Type", "text/event-stream")
	s.streamChat(r, stream{w}, a, len(body)/4, cached)
}

func (r *chatRequest) turn() turn {
	t := turn{noTools: r.ToolChoice == "none"}
	for _, tool := range r.Tools {
		t.tools = append(t.tools, tool.Function.Name)
	}
	for _, m := range r.Messages {
		switch {
		case m.Role == "user" && m.Content != nil && !errandsNote.MatchString(m.Content.text):
			t.said, t.results = m.Content.text, nil
		case m.Role == "tool" && m.Content != nil:
			t.results = append(t.results, m.Content.text)
		}
	}
	return t
}

func (s *Server) streamChat(r *http.Request, out stream, a answer, input, cached int) {
	delta := func(d map[string]any, finish any) {
		out.send(map[string]any{"id": "c", "object": "chat.completion.chunk", "choices": []any{map[string]any{"index": 0, "delta": d, "finish_reason": finish}}})
	}
	if s.Kind == OpenRouter { // https://openrouter.ai/docs/api/reference/streaming
		out.raw(": OPENROUTER PROCESSING")
	}
	delta(map[string]any{"role": "assistant", "content": ""}, nil)
	s.streamReasoning(delta, a)
	for i, piece := range a.text {
		delta(map[string]any{"content": piece}, nil)
		if i == 0 && !s.goesOn(r, a) {
			return
		}
	}
	if a.text == nil && !s.goesOn(r, a) {
		return
	}
	finish := "stop"
	for i, name := range a.tools {
		finish = "tool_calls"
		call := map[string]any{"index": i, "id": fmt.Sprintf("call_%d_%d", a.n, i), "type": "function",
			"function": map[string]any{"name": name, "arguments": a.arguments}}
		switch s.Kind {
		case Gemini: // no index, whole calls, the signature beside the first
			delete(call, "index")
			if i == 0 {
				call["extra_content"] = map[string]any{"google": map[string]any{"thought_signature": a.signature}}
			}
			finish = "stop"
		case Ollama: // 0 for every call
			call["index"] = 0
		}
		delta(map[string]any{"tool_calls": []any{call}}, nil)
	}
	delta(map[string]any{}, finish)
	usage := map[string]any{"prompt_tokens": input, "completion_tokens": 7, "total_tokens": input + 7}
	switch s.Kind {
	case DeepSeek: // https://api-docs.deepseek.com/guides/kv_cache
		usage["prompt_cache_hit_tokens"], usage["prompt_cache_miss_tokens"] = cached, input-cached
	case OpenAI, Gemini, VLLM, LlamaCpp, OpenRouter:
		usage["prompt_tokens_details"] = map[string]any{"cached_tokens": cached}
	}
	out.send(map[string]any{"id": "c", "object": "chat.completion.chunk", "choices": []any{}, "usage": usage})
	out.raw("data: [DONE]")
}

// streamReasoning streams what the model thinks, where the kind shows it.
func (s *Server) streamReasoning(delta func(map[string]any, any), a answer) {
	half := len(a.reasoning) / 2
	for i, piece := range []string{a.reasoning[:half], a.reasoning[half:]} {
		switch s.Kind {
		case DeepSeek:
			delta(map[string]any{"content": nil, "reasoning_content": piece}, nil)
		case VLLM, Ollama:
			delta(map[string]any{"content": "", "reasoning": piece}, nil)
		case OpenRouter:
			d := map[string]any{"type": "reasoning.text", "text": piece, "format": "anthropic-claude-v1", "index": 0}
			if i == 1 {
				d["signature"] = a.signature
			}
			delta(map[string]any{"content": "", "reasoning": piece, "reasoning_details": []any{d}}, nil)
		}
	}
}

// goesOn waits until a slow answer may go on, and reports whether the client still listens.
func (s *Server) goesOn(r *http.Request, a answer) bool {
	if !a.slow {
		return true
	}
	s.count(func(c *Counts) { c.Pieces++ })
	select {
	case <-s.holding():
		return true
	case <-r.Context().Done():
		s.count(func(c *Counts) { c.HungUp++ })
		return false
	}
}
