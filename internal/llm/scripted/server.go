package scripted

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"errand"
	"errand/internal/llm"
)

// Server has a model answer on the OpenAI-compatible wire: /v1/chat/completions, streamed
// or not, and /v1/models. An error of the model is the refusal of the request, or, once it
// has begun to answer, a connection that breaks off.
func Server(name string, m Model) http.Handler {
	s := &server{name, m}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", s.complete)
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, http.StatusOK, map[string]any{
			"object": "list", "data": []any{map[string]any{"id": name, "object": "model", "owned_by": "errand"}},
		})
	})
	return mux
}

type server struct {
	name  string
	model Model
}

func (s *server) complete(w http.ResponseWriter, r *http.Request) {
	var wire openai.ChatCompletionRequest
	if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 64<<20)).Decode(&wire); err != nil || len(wire.Messages) == 0 {
		refuse(w, http.StatusBadRequest, "the request is no chat completion")
		return
	}
	out := &stream{name: s.name, w: w}
	deltas, stop := func(llm.Delta) {}, func() {}
	if wire.Stream {
		deltas, stop = func(d llm.Delta) { out.delta(openai.ChatCompletionStreamChoiceDelta{Content: d.Text}) }, out.keepAlive()
	}
	answer, err := s.model.Complete(r.Context(), read(wire), deltas)
	stop()
	usage := openai.Usage{PromptTokens: answer.Usage.InputTokens, CompletionTokens: answer.Usage.OutputTokens,
		TotalTokens:         answer.Usage.InputTokens + answer.Usage.OutputTokens,
		PromptTokensDetails: &openai.PromptTokensDetails{CachedTokens: answer.Usage.CachedTokens}}
	switch {
	case r.Context().Err() != nil: // the client has left
	case err != nil && out.begun:
		panic(http.ErrAbortHandler)
	case err != nil:
		refuse(w, http.StatusBadRequest, err.Error())
	case wire.Stream:
		out.finish(answer, usage)
	default:
		writeJSON(w, http.StatusOK, openai.ChatCompletionResponse{
			ID: s.name, Object: "chat.completion", Model: s.name, Created: time.Now().Unix(), Usage: usage,
			Choices: []openai.ChatCompletionChoice{{
				FinishReason: finishReason(answer),
				Message:      openai.ChatCompletionMessage{Role: "assistant", Content: answer.Text, ToolCalls: toolCalls(answer)},
			}},
		})
	}
}

// read makes a request of what came over the wire.
func read(wire openai.ChatCompletionRequest) llm.Request {
	r := llm.Request{Model: wire.Model, NoTools: wire.ToolChoice == "none"}
	for _, m := range wire.Messages {
		for _, part := range m.MultiContent {
			m.Content += part.Text
		}
		said := errand.Message{Speaker: errand.Speaker(m.Role), Text: m.Content, CallID: m.ToolCallID}
		for _, c := range m.ToolCalls {
			said.Calls = append(said.Calls, errand.ToolCall{ID: c.ID, Name: c.Function.Name, Arguments: c.Function.Arguments})
		}
		switch {
		case m.Role == openai.ChatMessageRoleSystem || m.Role == openai.ChatMessageRoleDeveloper:
			r.System += m.Content + "\n"
		case said.Speaker == errand.FromPerson && IsNote(m.Content):
			r.Note = m.Content
		default:
			r.Messages = append(r.Messages, said)
		}
	}
	for _, tool := range wire.Tools {
		if tool.Function != nil {
			parameters, _ := json.Marshal(tool.Function.Parameters) // it has just been JSON
			r.Tools = append(r.Tools, llm.Tool{Name: tool.Function.Name, Description: tool.Function.Description, Parameters: parameters})
		}
	}
	return r
}

// A stream is a streamed answer.
type stream struct {
	name string

	mu    sync.Mutex
	w     http.ResponseWriter
	begun bool
	said  bool // a piece of text
}

// keepAlive gives a sign every ten seconds until stop is called, so that no client takes
// a long silence for a dead connection.
func (s *stream) keepAlive() (stop func()) {
	tick, done, ended := time.NewTicker(10*time.Second), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-tick.C:
				s.delta(openai.ChatCompletionStreamChoiceDelta{})
			case <-done:
				return
			}
		}
	}()
	return func() {
		tick.Stop()
		close(done)
		<-ended
	}
}

func (s *stream) delta(d openai.ChatCompletionStreamChoiceDelta) { s.send(d, "", nil) }

func (s *stream) send(delta openai.ChatCompletionStreamChoiceDelta, finish openai.FinishReason, usage *openai.Usage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.begun {
		s.w.Header().Set("Content-Type", "text/event-stream")
		s.begun, delta.Role = true, "assistant"
	}
	s.said = s.said || delta.Content != ""
	s.write(openai.ChatCompletionStreamResponse{
		ID: s.name, Object: "chat.completion.chunk", Model: s.name, Created: time.Now().Unix(), Usage: usage,
		Choices: []openai.ChatCompletionStreamChoice{{Delta: delta, FinishReason: finish}},
	})
}

// write sends an event. That the client has left ends the context of its request.
func (s *stream) write(event any) {
	raw, _ := json.Marshal(event) // structs of strings and numbers always marshal
	s.w.Write([]byte("data: " + string(raw) + "\n\n"))
	s.w.(http.Flusher).Flush()
}

// finish sends what was not streamed, and the end.
func (s *stream) finish(answer llm.Response, usage openai.Usage) {
	if !s.said && answer.Text != "" {
		s.delta(openai.ChatCompletionStreamChoiceDelta{Content: answer.Text})
	}
	for i, c := range toolCalls(answer) {
		c.Index = &i
		s.delta(openai.ChatCompletionStreamChoiceDelta{ToolCalls: []openai.ToolCall{c}})
	}
	s.send(openai.ChatCompletionStreamChoiceDelta{}, finishReason(answer), &usage)
	s.w.Write([]byte("data: [DONE]\n\n"))
}

func finishReason(answer llm.Response) openai.FinishReason {
	if len(answer.Calls) > 0 {
		return openai.FinishReasonToolCalls
	}
	return openai.FinishReasonStop
}

func toolCalls(answer llm.Response) (calls []openai.ToolCall) {
	for _, c := range answer.Calls {
		calls = append(calls, openai.ToolCall{ID: c.ID, Type: openai.ToolTypeFunction, Function: openai.FunctionCall{Name: c.Name, Arguments: c.Arguments}})
	}
	return calls
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v) // the client left, if this fails
}

func refuse(w http.ResponseWriter, status int, message string) {
	writeJSON(w, status, map[string]any{"error": map[string]any{"message": message, "type": "invalid_request_error"}})
}
