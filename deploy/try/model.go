package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"regexp"
	"strings"
	"time"
)

const modelTakes = time.Second

// People write "say x7" and are answered "done x7"; for "delegate x7" Sasha is asked
// first, and waited for.
var wish = regexp.MustCompile(`\b(say|delegate|work on) (x\d+)\b`)

// serveModel answers for a model, on the OpenAI-compatible wire, until it is closed.
func serveModel(at string) (*http.Server, error) {
	l, err := net.Listen("tcp", at)
	if err != nil {
		return nil, err
	}
	s := &http.Server{Handler: http.HandlerFunc(scripted)}
	go func() {
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			logf("the model has ended: %v", err)
		}
	}()
	return s, nil
}

func modelEnv(at string) map[string]string {
	return map[string]string{"OPENAI_BASE_URL": "http://" + at + "/v1", "OPENAI_API_KEY": "none", "ERRAND_MODEL": "scripted"}
}

func scripted(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(r.URL.Path, "/models") {
		fmt.Fprint(w, `{"object":"list","data":[{"id":"scripted","object":"model"}]}`)
		return
	}
	var req struct {
		Messages []struct {
			Role      string
			Content   any
			ToolCalls []any `json:"tool_calls"`
		}
	}
	if err := json.NewDecoder(r.Body).Decode(&req); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	// The last wish counts, and whether a colleague was asked since.
	text, name, asked := "ok", "", false
	for _, m := range req.Messages {
		content, _ := m.Content.(string)
		if m.Role == "assistant" {
			asked = asked || len(m.ToolCalls) > 0
		}
		if m.Role != "user" {
			continue
		}
		for _, found := range wish.FindAllStringSubmatch(content, -1) {
			if "done "+found[2] != text {
				text, name, asked = "done "+found[2], found[1], false
			}
		}
	}
	if !pause(r.Context(), modelTakes) {
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	chunk := func(delta map[string]any, finish any) {
		raw, err := json.Marshal(map[string]any{"id": "c", "object": "chat.completion.chunk", "model": "scripted",
			"choices": []any{map[string]any{"index": 0, "delta": delta, "finish_reason": finish}}})
		if err != nil {
			panic(err) // made of strings
		}
		fmt.Fprintf(w, "data: %s\n\n", raw)
	}
	if name == "delegate" && !asked {
		arguments := fmt.Sprintf(`{"agent":"sasha","task":"work on %s"}`, strings.TrimPrefix(text, "done "))
		chunk(map[string]any{"role": "assistant", "tool_calls": []any{map[string]any{"index": 0, "id": "call_0", "type": "function",
			"function": map[string]any{"name": "call_agent", "arguments": arguments}}}}, nil)
		chunk(map[string]any{}, "tool_calls")
	} else {
		chunk(map[string]any{"role": "assistant", "content": text}, nil)
		chunk(map[string]any{}, "stop")
	}
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// pause waits, and reports whether it could wait to the end.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
