package llm_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/test/sim/models"
)

// looker uses the tool of a trial and says which color it sees.
type looker struct{ color string }

func (l looker) Complete(_ context.Context, r llm.Request, _ func(llm.Delta)) (llm.Response, error) {
	if r.Messages[len(r.Messages)-1].Speaker == core.FromTool {
		return llm.Response{Text: "fine"}, nil
	}
	if l.color == "" {
		return llm.Response{Text: "I am ready."}, nil
	}
	return llm.Response{Calls: []core.ToolCall{{ID: "c1", Name: "ready", Arguments: `{"color":"` + l.color + `"}`}}}, nil
}

// TestTry proves that a trial finds out what a model can do, at each kind of server over HTTP, and
// that later calls send pictures only to a model that has seen one.
func TestTry(t *testing.T) {
	for _, tt := range []struct {
		kind      models.Kind
		color     string
		sightless bool
		vision    *bool
		sees      bool
	}{
		{kind: models.OpenAI, color: "Yellow", sees: true},
		{kind: models.Ollama, color: "yellow", sees: true},
		{kind: models.Ollama, color: "none"}, // it has dropped the picture
		{kind: models.Ollama, color: "none", vision: new(true), sees: true},
		{kind: models.Gemini, color: "yellow", vision: new(false)},
		{kind: models.OpenAI, color: "yellow", sightless: true},
		{kind: models.DeepSeek, color: "yellow", sightless: true},
		{kind: models.LlamaCpp, color: "yellow", sightless: true},
		{kind: models.OpenRouter, color: "yellow", sightless: true},
		{kind: models.VLLM, color: "yellow", sightless: true, vision: new(true)},
	} {
		s := models.New(tt.kind)
		s.Sightless, s.Model = tt.sightless, looker{tt.color}
		server := httptest.NewServer(s)
		p := simulated(s)
		p.BaseURL, p.HTTPClient, p.Vision = server.URL+"/v1", nil, tt.vision
		if tt.kind == models.OpenAI {
			p.API = llm.APIResponses
		}
		c := client(t, p)
		trial, err := c.Try(t.Context(), "default")
		require.NoError(t, err, tt)
		require.True(t, trial.Tools)
		require.Len(t, trial.Usage, 2)
		require.Equal(t, tt.sees, c.Sees("default"), "%+v", tt)
		_, err = ask(t, c, photo())
		require.NoError(t, err)
		require.Equal(t, tt.sees, len(s.Pictures()) > 0, "%+v", tt)
		server.Close()
	}
}

// TestTryWithoutTools proves that a model which only talks is not said to call tools, and that a
// refused second step is an error.
func TestTryWithoutTools(t *testing.T) {
	s := models.New(models.Ollama)
	s.Model = looker{}
	c := client(t, simulated(s))
	trial, err := c.Try(t.Context(), "default")
	require.NoError(t, err)
	require.False(t, trial.Tools)
	require.Len(t, trial.Usage, 1)

	s.Toolless = true
	_, err = c.Try(t.Context(), "default")
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, llm.NoTools, e.Why())
}

// TestList proves that what servers say about a model in their lists is read, also where a part of
// it cannot be.
func TestList(t *testing.T) {
	for _, tt := range []struct {
		list    string
		context int
		price   llm.Price
	}{
		{`{"id":"m1"}`, 0, llm.Price{}},
		{`{"id":"models/m1"}`, 0, llm.Price{}},
		{`{"id":"m1","max_model_len":32768}`, 32768, llm.Price{}},
		{`{"id":"m1","meta":{"n_ctx_train":4096}}`, 4096, llm.Price{}},
		{`{"id":"m1","context_window":131072,"meta":"?"}`, 131072, llm.Price{}},
		{`{"id":"m1","context_length":400000,"pricing":{"prompt":"0.00000025","completion":"0.000002","input_cache_read":"0.000000025"}}`, 400000,
			llm.Price{Input: .25, Output: 2, Cached: new(.025), Source: llm.PriceProvider}},
		{`{"id":"m1","pricing":{"prompt":"-1","completion":"-1"}}`, 0, llm.Price{}},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			require.Equal(t, "/v1/models", r.URL.Path)
			_, _ = w.Write([]byte(`{"data":[{"id":"other","context_length":1},` + tt.list + `]}`))
		}))
		trial, err := client(t, llm.Provider{BaseURL: server.URL + "/v1", Model: "m1"}).List(t.Context(), "default")
		require.NoError(t, err)
		require.Equal(t, []string{"other", "m1"}, trial.Models, tt.list)
		require.Equal(t, tt.context, trial.ContextTokens, tt.list)
		require.Equal(t, tt.price, trial.Price, tt.list)
		server.Close()
	}
}

// TestWithPriceList proves that errand's list fills in only what is open, by the host and the name of a
// model or of its dated version.
func TestWithPriceList(t *testing.T) {
	const openAI = "https://api.openai.com/v1"
	own := &llm.Price{Input: 1, Source: llm.PriceConfigured}
	for _, tt := range []struct {
		p             llm.Provider
		source        llm.PriceSource
		input         float64
		contextTokens int
		sees          bool
	}{
		{llm.Provider{BaseURL: openAI, Model: "gpt-5-mini"}, llm.PriceListed, .25, 400000, true},
		{llm.Provider{BaseURL: openAI, Model: "gpt-5-mini-2025-08-07"}, llm.PriceListed, .25, 400000, true},
		{llm.Provider{BaseURL: openAI, Model: "gpt-5-mini", Price: own, Vision: new(false)}, llm.PriceConfigured, 1, 400000, false},
		{llm.Provider{BaseURL: openAI, Model: "gpt-5-mini-large"}, llm.PriceUnknown, 0, 0, false},
		{llm.Provider{BaseURL: "https://api.anthropic.com/v1", Model: "claude-sonnet-4-5-20250929"}, llm.PriceListed, 3, 200000, true},
		{llm.Provider{BaseURL: "https://generativelanguage.googleapis.com/v1beta/openai", Model: "models/gemini-2.5-flash"}, llm.PriceListed, .3, 1048576, true},
		{llm.Provider{BaseURL: "https://other.example/v1", Model: "gpt-5-mini"}, llm.PriceUnknown, 0, 0, false},
		{llm.Provider{BaseURL: "http://127.0.0.1:11434/v1", Model: "qwen3:8b"}, llm.PriceOwn, 0, 0, false},
		{llm.Provider{BaseURL: "http://192.168.1.5:8000/v1", Model: "qwen3:8b"}, llm.PriceOwn, 0, 0, false},
		{llm.Provider{BaseURL: "http://localhost:4000/v1", Model: "gpt-5-mini"}, llm.PriceUnknown, 0, 0, false}, // a proxy
	} {
		full, contextTokens := tt.p.WithPriceList()
		price := llm.Price{}
		if full.Price != nil {
			price = *full.Price
		}
		require.Equal(t, tt.source, price.Source, tt.p.Model)
		require.InDelta(t, tt.input, price.Input, 1e-9, tt.p.Model)
		require.Equal(t, tt.contextTokens, contextTokens, tt.p.Model)
		require.Equal(t, tt.sees, full.Vision != nil && *full.Vision, tt.p.Model)
	}
	require.Regexp(t, `^20\d\d-[01]\d$`, llm.PriceListDate())
}

// TestShortKeys proves that a key which may be a part of words stays in the words of a provider,
// and that a real one does not.
func TestShortKeys(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_ = json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": "I do not know " + strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")}})
	}))
	defer server.Close()
	for key, want := range map[string]string{"k": "I do not know k", "k7f3m9q2x": "I do not know …"} {
		_, err := ask(t, client(t, llm.Provider{BaseURL: server.URL, APIKey: key, Model: "m1"}), core.Message{Speaker: core.FromPerson, Text: "hello"})
		require.ErrorContains(t, err, want)
	}
}
