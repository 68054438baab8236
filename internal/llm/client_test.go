package llm_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	. "errand/internal/test/llmtest"
)

const secret = "sk-test-0123456789"

func hello() llm.Request {
	return llm.Request{
		Model:    "default",
		System:   "You are Nikki.",
		Messages: []core.Message{{Speaker: core.FromPerson, Text: "my bicycle is called Rosinante"}},
	}
}

func provider(name string, s *Server) llm.Provider {
	return llm.Provider{Name: name, BaseURL: s.BaseURL(), APIKey: secret, APIKeyEnv: "OSLO_KEY", Model: "m1"}
}

func client(t *testing.T, providers ...llm.Provider) *llm.Client {
	t.Helper()
	for i := range providers {
		providers[i].Price = &llm.Price{Input: 1000, Output: 2000}
	}
	c, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: providers}}})
	require.NoError(t, err)
	return c
}

func TestAnAnswerIsStreamedAndPriced(t *testing.T) {
	s := NewServer(t, Events(TextEvent("Hel"), TextEvent("lo"), FinishEvent("stop"), UsageEvent(11, 7), "[DONE]"))
	var results []string
	got, err := client(t, provider("oslo", s)).Complete(t.Context(), hello(), func(d llm.Delta) { results = append(results, d.Text) })
	require.NoError(t, err)
	require.Equal(t, []string{"Hel", "lo"}, results)
	require.Equal(t, llm.Response{
		Text:  "Hello",
		Usage: core.Usage{Model: "m1", Provider: "oslo", InputTokens: 11, EstimatedTokens: 15, OutputTokens: 7, Cost: 0.025},
	}, got)
	require.Equal(t, "Bearer "+secret, s.Headers()[0].Get("Authorization"))
	require.JSONEq(t, `{"model":"m1","stream":true,"stream_options":{"include_usage":true},"messages":[
		{"role":"system","content":"You are Nikki."},
		{"role":"user","content":"my bicycle is called Rosinante"}]}`, string(s.Bodies()[0]))
}

// Every way in which a provider misbehaves, and what the caller learns of it.
func TestErrors(t *testing.T) {
	tests := []struct {
		name    string
		behave  Behaviour
		silent  bool // a limit has to run out
		kind    llm.Kind
		status  int
		retry   bool
		after   time.Duration // exact, unless about is set
		about   time.Duration
		message string
	}{
		{name: "429 with seconds", behave: Status(429, "rate_limit_exceeded", "slow down", "Retry-After", "17"), kind: llm.RateLimited, status: 429, retry: true, after: 17 * time.Second, message: "slow down"},
		{name: "429 with a date", behave: func(w http.ResponseWriter, r *http.Request) {
			Status(429, "x", "slow down", "Retry-After", time.Now().Add(90*time.Second).UTC().Format(http.TimeFormat))(w, r)
		}, kind: llm.RateLimited, status: 429, retry: true, about: 90 * time.Second},
		{name: "429 for a day", behave: Status(429, "x", "daily limit", "Retry-After", "86400"), kind: llm.RateLimited, status: 429, retry: true, after: 10 * time.Minute},
		{name: "429 in milliseconds", behave: Status(429, "x", "slow", "Retry-After", "2", "Retry-After-Ms", "1500"), kind: llm.RateLimited, status: 429, retry: true, after: 1500 * time.Millisecond},
		{name: "429 without", behave: Status(429, "x", "Too many tokens, please wait"), kind: llm.RateLimited, status: 429, retry: true},
		{name: "no credit", behave: Status(429, "insufficient_quota", "You exceeded your current quota"), kind: llm.Refused, status: 429, message: "no credit"},
		{name: "500", behave: Status(500, "", "boom"), kind: llm.Overloaded, status: 500, retry: true},
		{name: "503 as HTML with time", behave: func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Retry-After", "3")
			HTML(503)(w, r)
		}, kind: llm.Overloaded, status: 503, retry: true, after: 3 * time.Second},
		{name: "400", behave: Status(400, "invalid_request_error", "unknown parameter: foo"), kind: llm.Refused, status: 400, message: "unknown parameter: foo"},
		{name: "401", behave: Status(401, "invalid_api_key", "Incorrect API key provided: "+secret), kind: llm.Refused, status: 401, message: "OSLO_KEY"},
		{name: "404", behave: Status(404, "model_not_found", "try pulling it first"), kind: llm.Refused, status: 404, message: `it has no model "m1"`},
		{name: "404 as HTML", behave: HTML(404), kind: llm.Refused, status: 404, message: "base URL"},
		{name: "closed before an answer", behave: Cut(), kind: llm.Unreachable, retry: true},
		{name: "closed in mid-stream", behave: Cut(TextEvent("half an ans")), kind: llm.Unreachable, status: 200, retry: true, message: "closed the connection in the middle"},
		{name: "ended in mid-stream", behave: Events(TextEvent("half an ans")), kind: llm.Unreachable, status: 200, retry: true, message: "closed the connection in the middle"},
		{name: "nothing at all", behave: Silence(), silent: true, kind: llm.Unreachable, retry: true, message: "no answer began"},
		{name: "headers and comments, but no token", behave: func(w http.ResponseWriter, r *http.Request) {
			w.Write([]byte(": processing\n\n"))
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, silent: true, kind: llm.Unreachable, status: 200, retry: true, message: "no answer began"},
		{name: "silence in mid-stream", behave: Silence(TextEvent("half")), silent: true, kind: llm.Unreachable, status: 200, retry: true, message: "stopped for"},
		{name: "an error in mid-stream", behave: Silence(TextEvent("half"), `{"error":{"message":"engine died","type":"server_error","code":null}}`), kind: llm.Overloaded, retry: true, message: "engine died"},
		{name: "an error in mid-stream that is a string", behave: Silence(`{"error":"engine died"}`), kind: llm.Overloaded, retry: true, message: "engine died"},
		{name: "OpenRouter's error in mid-stream", behave: Events(TextEvent("half"), `{"id":"1","choices":[{"index":0,"delta":{},"finish_reason":"error"}],"error":{"code":429,"message":"upstream is busy"}}`), kind: llm.RateLimited, status: 429, retry: true, message: "upstream is busy"},
		{name: "HTML with 200", behave: HTML(200), kind: llm.BadAnswer, status: 200, retry: true, message: "base URL"},
		{name: "garbage", behave: Garbage(), kind: llm.BadAnswer, status: 200, retry: true},
		{name: "an error with 200", behave: Body(200, "application/json", "{\n \"error\": {\"message\": \"no GPU\"}\n}"), kind: llm.Overloaded, retry: true, message: "no GPU"},
		{name: "no body", behave: Body(200, "text/event-stream", ""), kind: llm.BadAnswer, status: 200, retry: true},
		{name: "an empty answer", behave: Empty(), kind: llm.BadAnswer, retry: true, message: "empty"},
		{name: "white space", behave: Answer(" \n\t "), kind: llm.BadAnswer, retry: true, message: "empty"},
		{name: "the output limit spent on thinking", behave: Events(FinishEvent("length"), "[DONE]"), kind: llm.BadAnswer, retry: true, message: "output limit"},
		{name: "withheld", behave: Events(FinishEvent("content_filter"), "[DONE]"), kind: llm.Refused, message: "content filter"},
		{name: "OpenAI's overflow", behave: Status(400, "context_length_exceeded", "This model's maximum context length is 8192 tokens."), kind: llm.ContextOverflow, status: 400},
		{name: "vLLM's overflow", behave: Body(400, "application/json", `{"object":"error","message":"This model's maximum context length is 262144 tokens. However, you requested 0 output tokens","type":"BadRequestError","code":400}`), kind: llm.ContextOverflow, status: 400},
		{name: "Ollama's overflow", behave: Status(500, "", "prompt too long; exceeded max context length by 12 tokens"), kind: llm.ContextOverflow, status: 500},
		{name: "Ollama's other overflow", behave: Body(400, "application/json", `{"error":"the input length exceeds the context length"}`), kind: llm.ContextOverflow, status: 400},
		{name: "llama.cpp's overflow", behave: Body(400, "application/json", `{"error":{"code":400,"message":"request (66202 tokens) exceeds the available context size (65536 tokens), try increasing it","type":"exceed_context_size_error"}}`), kind: llm.ContextOverflow, status: 400},
		{name: "llama.cpp's overflow in mid-stream", behave: Events(TextEvent("half"), `{"error":{"code":500,"message":"Context size has been exceeded.","type":"server_error"}}`), kind: llm.ContextOverflow, status: 500},
		{name: "413", behave: HTML(413), kind: llm.ContextOverflow, status: 413},
		{name: "the conversation in the message", behave: Status(400, "bad", "cannot parse 'my bicycle is called Rosinante'"), kind: llm.Refused, status: 400, message: "left out"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := NewServer(t, tt.behave)
			var err error
			if tt.silent {
				err = inBubble(t, s)
			} else {
				_, err = client(t, provider("oslo", s)).Complete(t.Context(), hello(), nil)
			}
			var e *llm.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, tt.kind, e.Kind, e.Error())
			require.Equal(t, tt.status, e.Status, e.Error())
			require.Equal(t, tt.retry, e.Retryable())
			require.Equal(t, "oslo", e.Provider)
			if tt.about > 0 {
				require.InDelta(t, tt.about, e.RetryAfter, float64(5*time.Second))
			} else {
				require.Equal(t, tt.after, e.RetryAfter)
			}
			require.Contains(t, e.Error(), tt.message)
			require.NotContains(t, e.Error(), secret)
			require.NotContains(t, e.Error(), "Rosinante")
			require.Len(t, s.Bodies(), 1, "the client must not retry by itself")
		})
	}
}

// inBubble is what a call of s comes to where time is faked: s answers in this
// process.
func inBubble(t *testing.T, s *Server) (err error) {
	synctest.Test(t, func(t *testing.T) {
		p := provider("oslo", s)
		p.HTTPClient = InProcess(s)
		_, err = client(t, p).Complete(t.Context(), hello(), nil)
	})
	return err
}

func TestAnAddressIsNotRepeated(t *testing.T) {
	c := client(t, llm.Provider{Name: "gone", BaseURL: "http://nikki:hunter2@127.0.0.1:1/v1?key=hunter3", Model: "m1"})
	_, err := c.Complete(t.Context(), hello(), nil)
	require.ErrorContains(t, err, "is the server running?")
	require.NotContains(t, err.Error(), "hunter")
}

func TestWhatIsTooMuchIsCut(t *testing.T) {
	tests := []struct {
		name      string
		behave    Behaviour
		text      int
		calls     int
		truncated bool
		filtered  bool
	}{
		{name: "200 kB is fine", behave: Huge(200_000), text: 200_000},
		{name: "3 MB", behave: Huge(3 << 20), text: 1 << 20, truncated: true},
		{name: "128 calls are fine", behave: ManyCalls(128), calls: 128},
		{name: "ten thousand calls", behave: ManyCalls(10_000), calls: 128, truncated: true},
		{name: "the output limit", behave: Events(TextEvent("half an ans"), FinishEvent("length"), "[DONE]"), text: 11, truncated: true},
		{name: "what the provider withheld", behave: Events(TextEvent("half an ans"), FinishEvent("content_filter"), "[DONE]"), text: 11, filtered: true},
		{name: "a call that was cut off", behave: Events(CallEvent(nil, "a", "call_agent", `{"agent":"sa`), FinishEvent("length")), calls: 1, truncated: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := client(t, provider("oslo", NewServer(t, tt.behave))).Complete(t.Context(), hello(), nil)
			require.NoError(t, err)
			require.Len(t, got.Text, tt.text)
			require.Len(t, got.Calls, tt.calls)
			require.Equal(t, tt.truncated, got.Truncated)
			require.Equal(t, tt.filtered, got.Filtered)
			require.Positive(t, got.Usage.OutputTokens, "estimated where it is missing")
			require.Positive(t, got.Usage.InputTokens)
		})
	}
}

func TestAServerThatDoesNotStream(t *testing.T) {
	s := NewServer(t, Body(200, "application/json", `{
  "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {"role": "assistant", "content": "On it.",
    "tool_calls": [{"id": "a", "type": "function", "function": {"name": "call_agent", "arguments": {"agent": "sasha"}}}]}}],
  "usage": {"prompt_tokens": 5, "completion_tokens": 6}
}`))
	got, err := client(t, provider("oslo", s)).Complete(t.Context(), hello(), nil)
	require.NoError(t, err)
	require.Equal(t, "On it.", got.Text)
	require.Equal(t, []core.ToolCall{{ID: "a", Name: "call_agent", Arguments: `{"agent": "sasha"}`}}, got.Calls)
	require.Equal(t, 5, got.Usage.InputTokens)
}

func TestNoToolsMeansNoCalls(t *testing.T) {
	r := hello()
	r.Tools = []llm.Tool{{Name: "recall"}}
	r.NoTools = true
	both := Events(TextEvent("here"), CallEvent(nil, "a", "recall", "{}"), FinishEvent("tool_calls"))
	only := Answers(core.ToolCall{ID: "a", Name: "recall", Arguments: "{}"})
	s := NewServer(t, both, only)
	c := client(t, provider("oslo", s))
	got, err := c.Complete(t.Context(), r, nil)
	require.NoError(t, err)
	require.Empty(t, got.Calls)
	_, err = c.Complete(t.Context(), r, nil)
	require.ErrorContains(t, err, "tools where none are allowed")
	require.Contains(t, string(s.Bodies()[0]), `"tool_choice":"none"`)
}

func TestTheCallersEndIsNotTheProvidersFault(t *testing.T) {
	s := NewServer(t, Silence(TextEvent("half")))
	stopped := errors.New("stopped by the user")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := client(t, provider("oslo", s)).Complete(ctx, hello(), func(llm.Delta) { cancel(stopped) })
	require.ErrorIs(t, err, stopped)
	var e *llm.Error
	require.False(t, errors.As(err, &e))
}

func TestNewRefuses(t *testing.T) {
	model := func(p llm.Provider) map[string]llm.Model {
		return map[string]llm.Model{"small": {Providers: []llm.Provider{p}}}
	}
	tests := []struct {
		name   string
		models map[string]llm.Model
		want   string
	}{
		{"no models", nil, "no models"},
		{"no provider", map[string]llm.Model{"small": {}}, `model "small": no provider`},
		{"no address", model(llm.Provider{Name: "x", Model: "m"}), "base URL"},
		{"no http", model(llm.Provider{BaseURL: "ftp://nikki:hunter2@x", Model: "m"}), "base URL"},
		{"no name", model(llm.Provider{BaseURL: "http://x/v1"}), "no model name"},
		{"a key of two lines", model(llm.Provider{BaseURL: "http://x/v1", Model: "m", APIKey: "hunter2\n"}), "line break"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := llm.New(llm.Config{Models: tt.models})
			require.ErrorContains(t, err, tt.want)
			require.NotContains(t, err.Error(), "hunter2")
		})
	}
}

func TestUnknownModel(t *testing.T) {
	c := client(t, provider("oslo", NewServer(t, Answer("hi"))))
	_, err := c.Complete(t.Context(), llm.Request{Model: "gpt-x"}, nil)
	require.ErrorContains(t, err, `no model "gpt-x" is configured`)
}

// A rate gate: the third call starts only when one of the two in flight ends.
func TestConcurrencyIsBounded(t *testing.T) {
	begun, release := make(chan struct{}, 3), make(chan struct{})
	p := llm.Provider{Name: "local", BaseURL: Address, Model: "m", Concurrency: 2, HTTPClient: InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		begun <- struct{}{}
		<-release
		Answer("hi")(w, r)
	}))}
	c, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: []llm.Provider{p}}}})
	require.NoError(t, err)
	done := make(chan error, 3)
	for _, person := range []string{"ada", "bob", "eve"} {
		go func() {
			r := hello()
			r.For = person
			_, err := c.Complete(t.Context(), r, nil)
			done <- err
		}()
	}
	<-begun
	<-begun
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err = c.Complete(ctx, hello(), nil)
	require.ErrorIs(t, err, context.DeadlineExceeded, "it waits, and its caller may give up")
	require.Empty(t, begun)
	close(release)
	for range 3 {
		require.NoError(t, <-done)
	}
}

func TestKeysAreRemovedFromMessages(t *testing.T) {
	s := NewServer(t, Status(400, "x", "bad header Bearer "+secret+" and sk-other-key-000"))
	_, err := client(t, provider("oslo", s)).Complete(t.Context(), hello(), nil)
	require.Error(t, err)
	require.False(t, strings.Contains(err.Error(), "sk-"), err.Error())
}

// TestAKeyThatIsMissing proves that who sends no key is not told to check one, and
// learns where the key comes from.
func TestAKeyThatIsMissing(t *testing.T) {
	for _, tt := range []struct{ key, env, want string }{
		{secret, "OSLO_KEY", "the key was not accepted; check OSLO_KEY"},
		{"", "OSLO_KEY", "it needs a key, and none was sent; set OSLO_KEY"},
		{"", "", "it needs a key, and none was sent; name the variable that has it in api_key_env"},
		{secret, "", "the key was not accepted; check OPENAI_API_KEY"},
	} {
		p := provider("oslo", NewServer(t, Status(401, "invalid_api_key", "who are you")))
		p.APIKey, p.APIKeyEnv = tt.key, tt.env
		_, err := client(t, p).Complete(t.Context(), hello(), nil)
		var e *llm.Error
		require.ErrorAs(t, err, &e)
		require.Equal(t, tt.want, e.Message)
	}
}
