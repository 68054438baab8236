package llm

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"errand"
)

// DemoOptions say how fast the demonstration model is.
type DemoOptions struct {
	Work  time.Duration // how long it plays a sub-agent, over all its steps; default 6 s
	Chunk time.Duration // between two pieces of an answer to a person; default 15 ms

	// Instant answers at once and in one piece, without tool calls of its own
	// while it plays a sub-agent: for benchmarks and tests. A time that the task
	// itself asks for ("work 3s") is taken all the same.
	Instant bool
}

// DemoModel is the demonstration model as a model to configure.
func DemoModel(o DemoOptions) Model {
	return Model{Providers: []Provider{{
		Name: "demo", Model: "demo", Concurrency: -1, Handler: NewDemo(o),
	}}}
}

// NewDemo returns the offline demonstration model: a server of the
// OpenAI-compatible wire (/v1/chat/completions, streamed or not, /v1/models)
// that understands a handful of plain requests in English and says that it is
// a demonstration. It keeps nothing: all it knows is the request.
func NewDemo(o DemoOptions) http.Handler {
	if o.Work <= 0 {
		o.Work = 6 * time.Second
	}
	if o.Chunk <= 0 {
		o.Chunk = 15 * time.Millisecond
	}
	d := &demo{o}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", d.complete)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{
			"object": "list", "data": []any{map[string]any{"id": "demo", "object": "model", "owned_by": "errand"}},
		})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		demoError(w, http.StatusNotFound, "the demonstration model has no "+r.Method+" "+r.URL.Path)
	})
	return mux
}

type demo struct{ DemoOptions }

// A demoAnswer is what the demonstration model says, and how long it takes.
type demoAnswer struct {
	text  string
	calls []openai.ToolCall
	takes time.Duration // 0: as fast as Chunk
}

func (d *demo) complete(w http.ResponseWriter, r *http.Request) {
	var req openai.ChatCompletionRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<20)).Decode(&req); err != nil {
		demoError(w, http.StatusBadRequest, "the request is no chat completion")
		return
	}
	answer := d.think(req)
	size := 0
	for _, m := range req.Messages {
		size += len(m.Content)
	}
	usage := openai.Usage{PromptTokens: errand.TokensOf(size), CompletionTokens: max(errand.TokensOf(len(answer.text)), len(answer.calls))}
	usage.TotalTokens = usage.PromptTokens + usage.CompletionTokens
	if req.Stream {
		d.stream(w, r, answer, usage)
		return
	}
	if !pause(r.Context(), answer.takes, nil) {
		return
	}
	writeJSON(w, http.StatusOK, openai.ChatCompletionResponse{
		ID: "demo", Object: "chat.completion", Model: "demo", Created: time.Now().Unix(), Usage: usage,
		Choices: []openai.ChatCompletionChoice{{
			FinishReason: answer.finish(),
			Message:      openai.ChatCompletionMessage{Role: "assistant", Content: answer.text, ToolCalls: answer.calls},
		}},
	})
}

func (a demoAnswer) finish() openai.FinishReason {
	if len(a.calls) > 0 {
		return openai.FinishReasonToolCalls
	}
	return openai.FinishReasonStop
}

// stream sends the answer as it "is generated": words spread over the time it
// takes, calls at the end of it.
func (d *demo) stream(w http.ResponseWriter, r *http.Request, a demoAnswer, usage openai.Usage) {
	w.Header().Set("Content-Type", "text/event-stream")
	flush := func() { w.(http.Flusher).Flush() }
	send := func(delta openai.ChatCompletionStreamChoiceDelta, finish openai.FinishReason, u *openai.Usage) bool {
		event, err := json.Marshal(openai.ChatCompletionStreamResponse{
			ID: "demo", Object: "chat.completion.chunk", Model: "demo", Created: time.Now().Unix(), Usage: u,
			Choices: []openai.ChatCompletionStreamChoice{{Delta: delta, FinishReason: finish}},
		})
		if err == nil {
			_, err = w.Write([]byte("data: " + string(event) + "\n\n"))
			flush()
		}
		return err == nil
	}
	alive := func() {
		w.Write([]byte(": at work\n\n")) // a reader that left ends the context
		flush()
	}
	if !send(openai.ChatCompletionStreamChoiceDelta{Role: "assistant"}, "", nil) {
		return
	}
	pieces, between := d.pieces(a)
	for _, p := range pieces {
		if !pause(r.Context(), between, alive) || p != "" && !send(openai.ChatCompletionStreamChoiceDelta{Content: p}, "", nil) {
			return
		}
	}
	for i, c := range a.calls {
		c.Index = &i
		if !send(openai.ChatCompletionStreamChoiceDelta{ToolCalls: []openai.ToolCall{c}}, "", nil) {
			return
		}
	}
	if send(openai.ChatCompletionStreamChoiceDelta{}, a.finish(), &usage) {
		w.Write([]byte("data: [DONE]\n\n")) // the last thing anyone could miss
		flush()
	}
}

// pieces cuts the answer into what is sent at once, and says how long to wait
// before each.
func (d *demo) pieces(a demoAnswer) ([]string, time.Duration) {
	if a.text == "" {
		return []string{""}, a.takes
	}
	if d.Instant {
		return []string{a.text}, a.takes
	}
	pieces := strings.SplitAfter(a.text, " ")
	if a.takes > 0 {
		return pieces, a.takes / time.Duration(len(pieces))
	}
	return pieces, d.Chunk
}

// pause waits, calling alive now and then so that nobody takes a long silence
// for a dead connection. It reports whether to go on.
func pause(ctx context.Context, d time.Duration, alive func()) bool {
	const sign = 10 * time.Second
	for d > 0 {
		t := time.NewTimer(min(d, sign))
		select {
		case <-t.C:
		case <-ctx.Done():
			t.Stop()
			return false
		}
		if d -= sign; d > 0 && alive != nil {
			alive()
		}
	}
	return ctx.Err() == nil
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) // the client left, if this fails
}

func demoError(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error"}})
}
