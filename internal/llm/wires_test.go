package llm_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	. "errand/internal/test/llmtest"
	"errand/internal/test/sim/models"
)

// addresses are those of the providers: what errand knows of them it knows by these.
var addresses = map[models.Kind]string{
	models.OpenAI:     "https://api.openai.com/v1",
	models.DeepSeek:   "https://api.deepseek.com/v1",
	models.Gemini:     "https://generativelanguage.googleapis.com/v1",
	models.Anthropic:  "https://api.anthropic.com/v1",
	models.VLLM:       "http://127.0.0.1:8000/v1",
	models.LlamaCpp:   "http://127.0.0.1:8080/v1",
	models.Ollama:     "http://127.0.0.1:11434/v1",
	models.OpenRouter: "https://openrouter.ai/v1",
}

func simulated(s *models.Server) llm.Provider {
	return llm.Provider{Name: string(s.Kind), BaseURL: addresses[s.Kind], Model: "m1", APIKey: secret, HTTPClient: InProcess(s)}
}

var lookUp = []llm.Tool{{Name: "look_up", Description: "Look something up."}, {Name: "note", Parameters: json.RawMessage(`{"type":"object","properties":{"text":{"type":"string"}}}`)}}

// loop is the turn loop: model calls and their tools until there is an answer. It returns
// the transcript.
func loop(t *testing.T, c *llm.Client, messages []core.Message, say string) []core.Message {
	t.Helper()
	messages = append(messages, core.Message{Speaker: core.FromPerson, Text: say})
	for range 5 {
		got, err := c.Complete(t.Context(), llm.Request{Model: "default", System: "You are Nikki.", Messages: messages, Note: "[x note it is noon]", Tools: lookUp}, nil)
		require.NoError(t, err)
		messages = append(messages, core.Message{Speaker: core.FromAgent, Text: got.Text, Calls: got.Calls, State: got.State})
		if len(got.Calls) == 0 {
			return messages
		}
		for _, call := range got.Calls {
			messages = append(messages, core.Message{Speaker: core.FromTool, CallID: call.ID, Text: "it is so"})
		}
	}
	t.Fatal("the loop does not end")
	return nil
}

// Every provider takes a turn of three model calls with two tool calls, and the turn after
// it, and gets back what it has handed out.
func TestEveryProviderTakesTheTurnLoop(t *testing.T) {
	givesState := map[models.Kind]bool{models.OpenAI: true, models.DeepSeek: true, models.Gemini: true, models.OpenRouter: true}
	for _, kind := range models.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			s := models.New(kind)
			c := client(t, simulated(s))
			said := loop(t, c, nil, "use look_up twice")
			require.Equal(t, "Done in 3 steps.", said[len(said)-1].Text)
			said = loop(t, c, said, "use note")
			require.Equal(t, "Done in 2 steps.", said[len(said)-1].Text)
			require.Equal(t, 5, s.Counts().Generations)
			if kind == models.VLLM {
				require.Equal(t, []string{"After the optional system message, conversation roles must alternate user/assistant/user/assistant/..."}, s.Refusals(), "once")
			} else {
				require.Empty(t, s.Refusals())
			}
			if givesState[kind] {
				require.Equal(t, 4, s.Counts().GivenBack, "each request after the first")
			}
		})
	}
}

// What a provider handed out goes to no other: a conversation may change between any two.
func TestAConversationMayChangeItsProvider(t *testing.T) {
	for _, from := range models.Kinds() {
		for _, to := range models.Kinds() {
			if from == to {
				continue
			}
			first, second := models.New(from), models.New(to)
			said := loop(t, client(t, simulated(first)), nil, "use look_up twice")
			p := simulated(second)
			p.HTTPClient = InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				require.NoError(t, err)
				require.NotContains(t, string(body), "of "+string(from))
				require.NotContains(t, string(body), "-"+string(from))
				r.Body = io.NopCloser(bytes.NewReader(body))
				second.ServeHTTP(w, r)
			}))
			said = loop(t, client(t, p), said[:len(said)-1], "use look_up")
			require.Equal(t, "Done in 2 steps.", said[len(said)-1].Text, "%s to %s", from, to)
			for _, why := range second.Refusals() {
				require.Contains(t, why, "must alternate")
			}
		}
	}
}

// Names of models that go-openai refuses with tools over the chat wire go through where
// another server has them.
func TestTheClientLibraryRefusesNoModel(t *testing.T) {
	s := models.New(models.OpenRouter)
	p := simulated(s)
	p.Model = "gpt-6-sol"
	said := loop(t, client(t, p), nil, "use look_up")
	require.Equal(t, "Done in 2 steps.", said[len(said)-1].Text)
}

// State that a provider does not accept any more is left out, and the call made again.
func TestStaleStateIsLeftOut(t *testing.T) {
	for _, kind := range []models.Kind{models.OpenAI, models.Gemini, models.OpenRouter} {
		said := loop(t, client(t, simulated(models.New(kind))), nil, "use look_up")
		s := models.New(kind) // which has not handed it out
		said = loop(t, client(t, simulated(s)), said, "use look_up")
		require.Equal(t, "Done in 2 steps.", said[len(said)-1].Text, kind)
		require.NotEmpty(t, s.Refusals())
	}
}

func TestTheWireIsChosenByTheAddress(t *testing.T) {
	s := models.New(models.OpenAI)
	p := simulated(s)
	p.API = llm.APIChat
	_, err := client(t, p).Complete(t.Context(), llm.Request{Model: "default", Messages: hello().Messages, Tools: lookUp}, nil)
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "wants_responses", e.Hint.Code)
	require.Contains(t, e.Error(), "api: responses")

	chat := models.New(models.Ollama)
	p = simulated(chat)
	p.API = llm.APIResponses
	_, err = client(t, p).Complete(t.Context(), hello(), nil)
	require.ErrorAs(t, err, &e)
	require.Equal(t, "wants_chat", e.Hint.Code)
	require.Contains(t, e.Error(), "api: chat")

	p.API = "morse"
	_, err = llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: []llm.Provider{p}}}})
	require.ErrorContains(t, err, `api "morse" is none of auto, chat and responses`)
}

// A server that does not support tools says so; errand says what there is to change.
func TestServersWithoutToolsAreExplained(t *testing.T) {
	for kind, say := range map[models.Kind]string{
		models.VLLM:       "--enable-auto-tool-choice",
		models.LlamaCpp:   "--jinja",
		models.Ollama:     "does not support tools",
		models.OpenRouter: "does not support tools",
	} {
		s := models.New(kind)
		s.Toolless = true
		r := hello()
		r.Tools = lookUp
		_, err := client(t, simulated(s)).Complete(t.Context(), r, nil)
		var e *llm.Error
		require.ErrorAs(t, err, &e, kind)
		require.Equal(t, llm.Refused, e.Kind, kind)
		require.Equal(t, llm.NoTools, e.Why(), kind)
		require.Contains(t, e.Error(), say)
	}
}

func background(s *models.Server) llm.Provider {
	p := simulated(s)
	p.Background = true
	return p
}

// keeper notes what is left at a provider, as the store does.
type keeper struct {
	kept []core.PendingResponse
	err  error
}

func (k *keeper) keep(_ context.Context, p core.PendingResponse) error {
	k.kept = append(k.kept, p)
	return k.err
}

func (k *keeper) last() core.PendingResponse { return k.kept[len(k.kept)-1] }

// A call that was killed is fetched by the next attempt, and paid once.
func TestAnAnswerInTheBackgroundIsPaidOnce(t *testing.T) {
	s := models.New(models.OpenAI)
	k := &keeper{}
	r := hello()
	r.Messages[0].Text, r.Keep = "say it slowly", k.keep
	ctx, kill := context.WithCancel(t.Context())
	var heard string
	_, err := client(t, background(s)).Complete(ctx, r, func(d llm.Delta) {
		heard += d.Text
		kill()
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Equal(t, "Heard: ", heard)
	require.Len(t, k.kept, 1, "before anything else was read")
	require.Empty(t, llm.Lost(err).Usage, "it is not lost")

	s.Release()
	r.Resume = k.last()
	r.Note = "[x note another time]"
	got, err := client(t, background(s)).Complete(t.Context(), r, nil)
	require.NoError(t, err)
	require.Equal(t, "Heard: say it slowly", got.Text)
	require.Positive(t, got.Usage.InputTokens)
	require.Equal(t, 1, s.Counts().Generations)
	require.Equal(t, 1, s.Counts().Fetched)

	// What was said meanwhile makes it another call: the old one is ended.
	s.Hold()
	ctx, kill = context.WithCancel(t.Context())
	r.Resume = core.PendingResponse{}
	_, err = client(t, background(s)).Complete(ctx, r, func(llm.Delta) { kill() })
	require.Error(t, err)
	r.Messages = append(r.Messages, core.Message{Speaker: core.FromPerson, Text: "no, quickly"})
	r.Resume = k.last()
	got, err = client(t, background(s)).Complete(t.Context(), r, nil)
	require.NoError(t, err)
	require.Equal(t, "Heard: no, quickly", got.Text)
	require.Equal(t, 1, s.Counts().Cancelled)
}

// A connection that breaks is made again, and goes on where it was.
func TestABrokenConnectionGoesOnWhereItWas(t *testing.T) {
	s := models.New(models.OpenAI)
	k := &keeper{}
	p := background(s)
	var asked []string
	p.HTTPClient = InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.Method+" "+r.URL.RequestURI())
		if r.Method == http.MethodPost {
			ctx, cut := context.WithCancel(r.Context())
			defer cut()
			s.ServeHTTP(&cutting{ResponseWriter: w, after: "Heard: ", cut: cut}, r.WithContext(ctx))
			s.Release()
			return
		}
		s.ServeHTTP(w, r)
	}))
	r := hello()
	r.Messages[0].Text, r.Keep = "say it slowly", k.keep
	var heard strings.Builder
	got, err := client(t, p).Complete(t.Context(), r, func(d llm.Delta) {
		require.False(t, d.Reset)
		heard.WriteString(d.Text)
	})
	require.NoError(t, err)
	require.Equal(t, "Heard: say it slowly", got.Text)
	require.Equal(t, got.Text, heard.String(), "nothing is heard twice")
	require.Equal(t, 1, s.Counts().Generations)
	require.Len(t, asked, 2)
	require.Contains(t, asked[1], "starting_after=5")
}

// cutting ends a connection after something was written.
type cutting struct {
	http.ResponseWriter
	after string
	cut   context.CancelFunc
}

func (c *cutting) Write(b []byte) (int, error) {
	n, err := c.ResponseWriter.Write(b)
	if strings.Contains(string(b), c.after) {
		c.cut()
	}
	return n, err
}

func (c *cutting) Flush() { c.ResponseWriter.(http.Flusher).Flush() }

// An answer that cannot be noted would be lost: it is ended.
func TestAnAnswerThatCannotBeNotedIsCancelled(t *testing.T) {
	s := models.New(models.OpenAI)
	k := &keeper{err: context.DeadlineExceeded}
	r := hello()
	r.Messages[0].Text, r.Keep = "say it slowly", k.keep
	_, err := client(t, background(s)).Complete(t.Context(), r, nil)
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.True(t, e.Retryable())
	require.Equal(t, 1, s.Counts().Cancelled)
}

// A kept answer that the provider does not have any more is made anew.
func TestAnAnswerThatIsGoneIsMadeAnew(t *testing.T) {
	s := models.New(models.OpenAI)
	k := &keeper{}
	r := hello()
	r.Keep = k.keep
	_, err := client(t, background(s)).Complete(t.Context(), r, nil)
	require.NoError(t, err)
	r.Resume = k.last()
	other := models.New(models.OpenAI)
	got, err := client(t, background(other)).Complete(t.Context(), r, nil)
	require.NoError(t, err)
	require.NotEmpty(t, got.Text)
	require.Equal(t, 1, other.Counts().Generations)
}

func TestAnAnswerIsCancelledAtItsProvider(t *testing.T) {
	s := models.New(models.OpenAI)
	k := &keeper{}
	r := hello()
	r.Messages[0].Text, r.Keep = "say it slowly", k.keep
	ctx, stop := context.WithCancel(t.Context())
	c := client(t, background(s))
	_, err := c.Complete(ctx, r, func(llm.Delta) { stop() })
	require.Error(t, err)
	require.NoError(t, c.CancelResponse(t.Context(), k.last()))
	require.NoError(t, c.CancelResponse(t.Context(), k.last()), "as often as one likes")
	require.Equal(t, 1, s.Counts().Cancelled)
	require.NoError(t, c.CancelResponse(t.Context(), core.PendingResponse{ID: "resp_1", Provider: "somebody else"}))

	// One that was cancelled is not fetched for ever.
	r.Resume = k.last()
	_, err = c.Complete(t.Context(), r, nil)
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Empty(t, k.last())
}

// A model that reasons in silence may take as long as one that has not begun: only its
// first event comes at once.
func TestReasoningMayBeSilent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := llm.Provider{BaseURL: "https://api.openai.com/v1", Model: "m1", HTTPClient: InProcess(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			Events(`{"type":"response.created","response":{"id":"r"}}`)(w, r)
			time.Sleep(5 * time.Minute)
			Events(`{"type":"response.output_text.delta","output_index":1,"delta":"so"}`, `{"type":"response.completed","response":{"id":"r","status":"completed"}}`)(w, r)
		}))}
		got, err := client(t, p).Complete(t.Context(), hello(), nil)
		require.NoError(t, err)
		require.Equal(t, "so", got.Text)
	})
}

// An answer that failed says why in its last event.
func TestAResponseThatFailed(t *testing.T) {
	s := NewServer(t, Events(`{"type":"response.created","response":{"id":"r"},"sequence_number":0}`,
		`{"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"rate_limit_exceeded","message":"slow down"}}}`))
	p := provider("oslo", s)
	p.API = llm.APIResponses
	_, err := client(t, p).Complete(t.Context(), hello(), nil)
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.RateLimited, e.Kind)
}
