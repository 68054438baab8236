package models

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"errand/internal/core"
	"errand/internal/llm"
)

type responsesRequest struct {
	Model        string `json:"model"`
	Instructions string `json:"instructions"`
	Background   bool   `json:"background"`
	Store        *bool  `json:"store"`
	Stream       bool   `json:"stream"`
	ToolChoice   any    `json:"tool_choice"`
	Tools        []struct {
		Name       string          `json:"name"`
		Parameters json.RawMessage `json:"parameters"`
		Strict     *bool           `json:"strict"`
	} `json:"tools"`
	Include []string `json:"include"`
	Input   []struct {
		Type      string  `json:"type"`
		Role      string  `json:"role"`
		Content   content `json:"content"`
		CallID    string  `json:"call_id"`
		Name      string  `json:"name"`
		Arguments string  `json:"arguments"`
		Output    string  `json:"output"`
		ID        string  `json:"id"`
		Encrypted string  `json:"encrypted_content"`
	} `json:"input"`
}

// A generation is an answer in progress. In the background it continues without
// listeners, and a client may listen from any of its events on.
type generation struct {
	id     string
	cancel context.CancelFunc

	mu        sync.Mutex
	more      *sync.Cond
	events    []map[string]any
	done      bool
	cancelled bool
	final     map[string]any
}

func (s *Server) respond(w http.ResponseWriter, r *http.Request) {
	var req responsesRequest
	body, err := readJSON(r, &req)
	if err != nil {
		s.refuse(w, &refusal{status: 400, message: err.Error()})
		return
	}
	s.count(func(c *Counts) { c.Requests++ })
	var said []content
	for _, item := range req.Input {
		if item.Type == "message" && item.Role == "user" {
			said = append(said, item.Content)
		}
	}
	why := s.maySee(req.Model, said)
	if why == nil {
		why = s.mayRespond(&req)
	}
	if why != nil {
		s.refuse(w, why)
		return
	}
	var fields map[string]json.RawMessage
	_ = json.Unmarshal(body, &fields) // it has been read above
	cached := s.cached(string(fields["instructions"]) + string(fields["tools"]) + string(fields["input"]))
	t := s.think()
	ctx, cancel := context.WithCancel(context.Background())
	if !req.Background {
		// https://community.openai.com/t/responses-api-reconnect-to-a-streaming-response/1362217
		cancel()
		ctx, cancel = context.WithCancel(r.Context())
	}
	g := &generation{id: fmt.Sprintf("resp_%d", t.n), cancel: cancel}
	g.more = sync.NewCond(&g.mu)
	if req.Background {
		s.mu.Lock()
		s.kept[g.id] = g
		s.mu.Unlock()
	}
	encrypted := ""
	for _, what := range req.Include {
		if what == "reasoning.encrypted_content" {
			encrypted = t.signature
		}
	}
	go s.generate(ctx, g, t, req.request(), encrypted, len(body)/4, cached)
	g.follow(r.Context(), w, -1)
}

func (r *responsesRequest) request() llm.Request {
	out := llm.Request{Model: r.Model, System: r.Instructions, NoTools: r.ToolChoice == "none"}
	for _, tool := range r.Tools {
		out.Tools = append(out.Tools, llm.Tool{Name: tool.Name, Parameters: tool.Parameters})
	}
	for _, item := range r.Input {
		switch item.Type {
		case "message":
			add(&out, core.Message{Speaker: core.Speaker(item.Role), Text: item.Content.text})
		case "function_call":
			add(&out, core.Message{Speaker: core.FromAgent, Calls: []core.ToolCall{{ID: item.CallID, Name: item.Name, Arguments: item.Arguments}}})
		case "function_call_output":
			add(&out, core.Message{Speaker: core.FromTool, Text: item.Output, CallID: item.CallID})
		}
	}
	return out
}

// generate makes an answer: https://platform.openai.com/docs/api-reference/responses-streaming
func (s *Server) generate(ctx context.Context, g *generation, t thought, r llm.Request, encrypted string, input, cached int) {
	response := func(status string, output []any) map[string]any {
		return map[string]any{"id": g.id, "object": "response", "status": status, "output": output}
	}
	var output []any
	item := func(v map[string]any) {
		g.add(map[string]any{"type": "response.output_item.done", "output_index": len(output), "item": v})
		output = append(output, v)
	}
	g.add(map[string]any{"type": "response.created", "response": response("in_progress", nil)})
	g.add(map[string]any{"type": "response.in_progress", "response": response("in_progress", nil)})
	g.add(map[string]any{"type": "response.output_item.added", "output_index": 0, "item": map[string]any{"id": "rs_1", "type": "reasoning", "summary": []any{}}})
	item(map[string]any{"id": fmt.Sprintf("rs_%d", t.n), "type": "reasoning", "status": "completed", "summary": []any{}, "encrypted_content": encrypted})
	begun := false
	answer, err := s.answer(ctx, t, r, func(d llm.Delta) {
		if !begun {
			g.add(map[string]any{"type": "response.output_item.added", "output_index": len(output), "item": map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "content": []any{}}})
		}
		begun = true
		g.add(map[string]any{"type": "response.output_text.delta", "output_index": len(output), "content_index": 0, "delta": d.Text})
	})
	if err != nil {
		g.end(response("cancelled", output), nil)
		return
	}
	if answer.Text != "" {
		item(map[string]any{"id": "msg_1", "type": "message", "role": "assistant", "status": "completed", "phase": "final_answer",
			"content": []any{map[string]any{"type": "output_text", "text": answer.Text}}})
	}
	for i, made := range answer.Calls {
		call := map[string]any{"id": fmt.Sprintf("fc_%d", i), "type": "function_call", "call_id": made.ID, "name": made.Name, "arguments": ""}
		g.add(map[string]any{"type": "response.output_item.added", "output_index": len(output), "item": call})
		g.add(map[string]any{"type": "response.function_call_arguments.delta", "output_index": len(output), "delta": made.Arguments})
		item(map[string]any{"id": call["id"], "type": "function_call", "status": "completed", "call_id": made.ID, "name": made.Name, "arguments": made.Arguments})
	}
	final := response("completed", output)
	final["usage"] = map[string]any{"input_tokens": input, "input_tokens_details": map[string]any{"cached_tokens": cached}, "output_tokens": 7, "output_tokens_details": map[string]any{"reasoning_tokens": 3}, "total_tokens": input + 7}
	g.end(final, map[string]any{"type": "response.completed", "response": final})
}

func (g *generation) add(event map[string]any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	event["sequence_number"] = len(g.events)
	g.events = append(g.events, event)
	g.more.Broadcast()
}

func (g *generation) end(final, event map[string]any) {
	if event != nil {
		g.add(event)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.final, g.done = final, true
	g.more.Broadcast()
}

// follow streams what comes after an event.
func (g *generation) follow(ctx context.Context, w http.ResponseWriter, after int) {
	stop := context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.more.Broadcast()
	})
	defer stop()
	w.Header().Set("Content-Type", "text/event-stream")
	out := stream{w}
	for next := after + 1; ; next++ {
		g.mu.Lock()
		for next >= len(g.events) && !g.done && ctx.Err() == nil {
			g.more.Wait()
		}
		if next >= len(g.events) || ctx.Err() != nil {
			g.mu.Unlock()
			return
		}
		event := g.events[next]
		g.mu.Unlock()
		out.raw("event: " + event["type"].(string))
		out.send(event)
	}
}

// keptResponse is what may be done with an answer in the background:
// https://developers.openai.com/api/docs/guides/background
func (s *Server) keptResponse(w http.ResponseWriter, r *http.Request, path string) {
	id, action, _ := strings.Cut(path, "/")
	s.mu.Lock()
	g := s.kept[id]
	s.mu.Unlock()
	switch {
	case g == nil:
		s.refuse(w, &refusal{status: http.StatusNotFound, message: fmt.Sprintf("Response with id '%s' not found.", id)})
	case r.Method == http.MethodPost && action == "cancel":
		g.mu.Lock()
		first := !g.cancelled && !g.done
		g.cancelled = true
		g.mu.Unlock()
		g.cancel()
		if first {
			s.count(func(c *Counts) { c.Cancelled++ })
		}
		answerJSON(w, http.StatusOK, map[string]any{"id": id, "object": "response", "status": "cancelled", "output": []any{}})
	case r.Method == http.MethodGet && r.URL.Query().Get("stream") == "true":
		s.count(func(c *Counts) { c.Fetched++ })
		after := -1
		if n, err := strconv.Atoi(r.URL.Query().Get("starting_after")); err == nil {
			after = n
		}
		g.follow(r.Context(), w, after)
	case r.Method == http.MethodGet:
		s.count(func(c *Counts) { c.Fetched++ })
		g.mu.Lock()
		final := g.final
		g.mu.Unlock()
		if final == nil {
			final = map[string]any{"id": id, "object": "response", "status": "in_progress", "output": []any{}}
		}
		answerJSON(w, http.StatusOK, final)
	default:
		s.refuse(w, &refusal{status: http.StatusMethodNotAllowed, message: "method not allowed"})
	}
}
