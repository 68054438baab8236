package openaiwire

import (
	"cmp"
	"strings"
	"time"

	"errand/internal/core"
)

type chatIn struct {
	Model    string    `json:"model"`
	Messages []message `json:"messages"`
	Stream   bool      `json:"stream"`
	N        int       `json:"n"`
	User     string    `json:"user"`
	toolsIn
	Options struct {
		Usage bool `json:"include_usage"`
	} `json:"stream_options"`
}

type chatUsage struct {
	Prompt     int `json:"prompt_tokens"`
	Completion int `json:"completion_tokens"`
	Total      int `json:"total_tokens"`
	Details    struct {
		Cached int `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
}

func chatUsageOf(u *core.Usage) *chatUsage {
	if u == nil {
		return nil
	}
	out := &chatUsage{Prompt: u.InputTokens, Completion: u.OutputTokens, Total: u.InputTokens + u.OutputTokens}
	out.Details.Cached = u.CachedTokens
	return out
}

// postChat answers the last message. A named chat has its own history; in any other, the agent
// reads the messages of the request before it.
func (s *Server) postChat(q *request) error {
	var in chatIn
	if err := q.read(&in); err != nil {
		return err
	}
	if in.N > 1 {
		return invalid("n", "n must be 1: errand gives one answer at a time")
	}
	tools, err := in.toolsIn.read(s.HasTool)
	if err != nil {
		return err
	}
	input, err := read(in.Messages, "messages")
	if err != nil {
		return err
	}
	chat, err := chatNamed(q.Header.Get(chatHeader), q.Header.Get(openWebUIHeader), in.User)
	if err != nil {
		return err
	}
	t := turn{model: in.Model, chat: chat, input: input, tools: tools}
	id, created, name := "chatcmpl-"+core.ShortID(16), time.Now().Unix(), cmp.Or(in.Model, anyAgent)
	if !in.Stream {
		got, err := s.take(q, t, whole{})
		if err != nil {
			return err
		}
		return q.reply(map[string]any{"id": id, "object": "chat.completion", "created": created, "model": name, "usage": chatUsageOf(got.usage),
			"choices": []any{map[string]any{"index": 0, "finish_reason": got.reason, "logprobs": nil,
				"message": chatMessage(got)}}})
	}
	out := &chatStream{newStream(s.Logger, q, s.Beat), map[string]any{"id": id, "object": "chat.completion.chunk", "created": created, "model": name}}
	defer out.end()
	got, err := s.take(q, t, out)
	switch {
	case err != nil && !out.began:
		return err
	case err != nil:
		return out.send("", s.wireErrorOf(q, err).body())
	}
	if len(got.calls) > 0 {
		if err := out.chunk(map[string]any{"tool_calls": chatCalls(got.calls, true)}, nil); err != nil {
			return nil // the client is gone
		}
	}
	if err := out.chunk(map[string]any{}, &got.reason); err != nil {
		return nil // the client is gone
	}
	if in.Options.Usage {
		out.frame["choices"], out.frame["usage"] = []any{}, chatUsageOf(got.usage)
		_ = out.send("", out.frame) // fails only if the client is gone
	}
	_ = out.write("data: [DONE]\n\n") // likewise
	return nil
}

func chatMessage(got reply) map[string]any {
	m := map[string]any{"role": "assistant", "content": got.late + got.text, "refusal": nil}
	if len(got.calls) > 0 {
		m["tool_calls"] = chatCalls(got.calls, false)
		if got.late+got.text == "" {
			m["content"] = nil
		}
	}
	return m
}

func chatCalls(calls []core.ClientCall, numbered bool) []any {
	list := make([]any, len(calls))
	for i, c := range calls {
		call := map[string]any{"id": c.ID, "type": "function", "function": map[string]string{"name": c.Name, "arguments": c.Arguments}}
		if numbered {
			call["index"] = i
		}
		list[i] = call
	}
	return list
}

type chatStream struct {
	*stream
	frame map[string]any
}

func (c *chatStream) accepted(string) error {
	return c.chunk(map[string]any{"role": "assistant", "content": ""}, nil)
}

func (c *chatStream) piece(text string) error {
	return c.chunk(map[string]any{"content": text}, nil)
}

func (c *chatStream) chunk(delta map[string]any, reason *string) error {
	c.frame["choices"] = []any{map[string]any{"index": 0, "delta": delta, "finish_reason": reason}}
	return c.send("", c.frame)
}

// chatNamed prefers the header to the names that the client gives its conversation or user.
func chatNamed(header string, names ...string) (string, error) {
	if header != "" {
		return header, nil
	}
	for _, name := range names {
		if name != "" {
			clean := strings.Map(func(r rune) rune {
				if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-", r) {
					return r
				}
				return '-'
			}, name)
			if clean != name || len(name) > 48 { // different names must not become the same
				clean = clean[:min(len(clean), 30)] + "-" + digest(name)
			}
			return chatPrefix + clean, nil
		}
	}
	return "", nil
}
