package background_test

import (
	"log/slog"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/llm/background"
	"errand/internal/store"
	"errand/internal/test/llmtest"
	"errand/internal/test/sim/models"
	"errand/internal/test/storetest"
	"errand/internal/texts"
)

const blind = "answers: calls tools, does not see pictures"

// A server is a provider that counts what it is asked for.
type server struct {
	mu     sync.Mutex
	lists  int
	calls  int
	models llmtest.Behaviour // of GET /models
	chat   llmtest.Behaviour
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodGet {
		s.lists++
		s.models(w, r)
		return
	}
	s.calls++
	s.chat(w, r)
}

type world struct {
	t      *testing.T
	server *server
	store  *store.Store
	key    string
}

func newWorld(t *testing.T) *world {
	s, err := store.Open(t.Context(), store.Options{SQLite: storetest.File(t)})
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return &world{t, &server{
		models: llmtest.Body(200, "application/json", `{"data": [{"id": "m1"}]}`),
		chat:   llmtest.Answers(core.ToolCall{ID: "c", Name: "ready", Arguments: "{}"}),
	}, s, "k"}
}

func (w *world) start() *background.ModelChecker {
	list := map[string]llm.Model{"default": {Providers: []llm.Provider{{Name: "oslo", Price: &llm.Price{Input: 10}, BaseURL: llmtest.Address, Model: "m1", APIKey: w.key, APIKeyEnv: "OSLO_KEY", HTTPClient: llmtest.InProcess(w.server)}}}}
	client, err := llm.New(llm.Config{Models: list})
	require.NoError(w.t, err)
	catalog, err := texts.New(nil)
	require.NoError(w.t, err)
	return background.NewModelChecker(background.CheckerConfig{Models: list, Client: client, Store: w.store, Texts: catalog, Owner: "owner", Logger: slog.New(slog.DiscardHandler)})
}

func TestAModelThatAnswersIsCalledOnceADay(t *testing.T) {
	w := newWorld(t)
	c := w.start()
	require.Equal(t, "has not been tried yet", c.States("", false)[0].Says)
	require.Equal(t, "m1 "+blind+"; price unknown (set price in errand.yaml)", c.AtStart(t.Context(), "default")[0].Line())
	require.Equal(t, blind, c.States("", false)[0].Says)
	c = w.start()
	require.Equal(t, "m1 "+blind+"; price unknown (set price in errand.yaml)", c.AtStart(t.Context(), "default")[0].Line())
	require.Equal(t, blind, c.States("", false)[0].Says)
	require.Equal(t, 2, w.server.calls, "two steps")
	require.Equal(t, 2, w.server.lists)
	w.key = "another"
	w.start().AtStart(t.Context(), "default")
	require.Equal(t, 4, w.server.calls, "it is configured differently")
	sums, err := w.store.UsageOf(t.Context(), "owner", time.Now())
	require.NoError(t, err)
	require.Equal(t, 4, sums[0].Calls)
	require.Equal(t, core.ConnectionTest, sums[0].Agent)
	spent, err := w.store.Spent(t.Context(), store.SpentBy{Person: "owner"})
	require.NoError(t, err)
	require.Zero(t, spent.Calls, "it counts in no budget")
	require.Positive(t, sums[0].Cost)
}

func TestADeadModelIsTriedAtEachStart(t *testing.T) {
	w := newWorld(t)
	w.server.chat = llmtest.Status(401, "x", "no")
	const want = "The model provider rejected the API key. (Admin: oslo, HTTP 401: the key was not accepted; check OSLO_KEY)"
	for range 2 {
		c := w.start()
		bad := c.AtStart(t.Context(), "default")
		require.Len(t, bad, 1)
		require.Equal(t, want, bad[0].Says)
		require.Equal(t, "The model provider rejected the API key.", c.States("", false)[0].Says)
		require.Equal(t, "El proveedor del modelo ha rechazado la clave de API.", c.States("es", false)[0].Says)
	}
	require.Equal(t, 2, w.server.calls)
	// Where its list of models is refused already, no call is made.
	w.server.models = llmtest.Status(401, "x", "no")
	require.Len(t, w.start().AtStart(t.Context(), "default"), 1)
	require.Equal(t, 2, w.server.calls)
}

func TestAServerWithoutAListOfModels(t *testing.T) {
	for name, list := range map[string]llmtest.Behaviour{
		"none": llmtest.HTML(404), "empty": llmtest.Body(200, "application/json", `{}`),
		"another": llmtest.Body(200, "application/json", `{"data": [{"id": "m2"}]}`), "forbidden": llmtest.Status(403, "x", "no"),
	} {
		w := newWorld(t)
		w.server.models = list
		require.True(t, w.start().AtStart(t.Context(), "default")[0].OK, name)
		require.Equal(t, 2, w.server.calls, name)
	}
}

func TestAModelWithoutTools(t *testing.T) {
	w := newWorld(t)
	w.server.chat = llmtest.Answer("I am ready.")
	for range 2 {
		c := w.start()
		bad := c.AtStart(t.Context(), "default")
		require.Len(t, bad, 1)
		require.False(t, bad[0].OK)
		require.Contains(t, bad[0].Line(), "m1: Answers, but did not call the tool")
	}
	require.Equal(t, 1, w.server.calls)
}

// TestCallsAreSeen proves that what is said of a model goes by the last call of
// anybody, and not by one that only this request could not have.
func TestCallsAreSeen(t *testing.T) {
	w := newWorld(t)
	c := w.start()
	model := c.Watch()
	call := func(behave llmtest.Behaviour) {
		w.server.chat = behave
		_, _ = model.Complete(t.Context(), llm.Request{Model: "default"}, nil)
	}
	call(llmtest.Status(503, "x", "no"))
	require.False(t, c.States("", false)[0].OK)
	call(llmtest.Status(400, "x", "no"))
	require.False(t, c.States("", false)[0].OK)
	call(llmtest.Answer("hi"))
	require.True(t, c.States("", false)[0].OK)
	call(llmtest.Status(400, "x", "no"))
	require.True(t, c.States("", false)[0].OK)
}

func TestNoCallWhilePaused(t *testing.T) {
	w := newWorld(t)
	require.NoError(t, w.store.Pause(t.Context(), "owner"))
	_, err := w.start().Try(t.Context(), "", "owner", "")
	require.ErrorIs(t, err, store.ErrPaused)
	require.Zero(t, w.server.calls)
	require.NoError(t, w.store.Resume(t.Context()))
	list, err := w.start().Try(t.Context(), "", "ann", "")
	require.NoError(t, err)
	require.True(t, list[0].OK)
	require.Equal(t, 2, w.server.calls)
}

// TestTheSecondStepIsTried proves that a model is said to work when it takes a turn, and
// what is to be changed when it does not.
func TestTheSecondStepIsTried(t *testing.T) {
	for _, tt := range []struct {
		kind     models.Kind
		toolless bool
		api      llm.API
		want     string
	}{
		{kind: models.OpenAI, api: llm.APIResponses, want: blind},
		{kind: models.OpenAI, api: llm.APIChat, want: "add api: responses"},
		{kind: models.DeepSeek, want: blind},
		{kind: models.Gemini, want: blind},
		{kind: models.Ollama, want: blind},
		{kind: models.Ollama, api: llm.APIResponses, want: "add api: chat"},
		{kind: models.Ollama, toolless: true, want: "does not support tools there"},
		{kind: models.VLLM, toolless: true, want: "--enable-auto-tool-choice"},
		{kind: models.LlamaCpp, toolless: true, want: "--jinja"},
	} {
		w := newWorld(t)
		s := models.New(tt.kind)
		s.Toolless = tt.toolless
		list := map[string]llm.Model{"default": {Providers: []llm.Provider{{Name: "oslo", BaseURL: llmtest.Address, Model: "m1", APIKey: "sk-sim-1", API: tt.api, HTTPClient: llmtest.InProcess(s)}}}}
		client, err := llm.New(llm.Config{Models: list})
		require.NoError(t, err)
		c := w.start()
		c.Models, c.Client = list, client
		states, err := c.Try(t.Context(), "", "owner", "")
		require.NoError(t, err)
		require.Contains(t, states[0].Says, tt.want, "%s over %s", tt.kind, tt.api)
	}

	// A server that takes the first step only.
	w := newWorld(t)
	first := true
	ask := w.server.chat
	w.server.chat = func(rw http.ResponseWriter, r *http.Request) {
		if first {
			first = false
			ask(rw, r)
			return
		}
		llmtest.Status(400, "", "the second step is refused")(rw, r)
	}
	states, err := w.start().Try(t.Context(), "", "owner", "")
	require.NoError(t, err)
	require.False(t, states[0].OK)
	require.Contains(t, states[0].Says, "the second step is refused")
}

// TestWorkersAgree proves that a worker takes over what another has found out, also while it runs,
// and that what is written in errand.yaml stays.
func TestWorkersAgree(t *testing.T) {
	w := newWorld(t)
	w.server.models = llmtest.Body(200, "application/json", `{"data": [{"id": "m1", "max_model_len": 32768}]}`)
	w.server.chat = llmtest.Answers(core.ToolCall{ID: "c", Name: "ready", Arguments: `{"color":"yellow"}`})
	running := w.start()
	require.False(t, running.States("", true)[0].Vision)
	states, err := w.start().Try(t.Context(), "default", "owner", "")
	require.NoError(t, err)
	require.True(t, states[0].Vision)
	running.Recall(t.Context())
	state := running.States("", true)[0]
	require.Equal(t, "answers: calls tools, sees pictures", state.Says)
	require.True(t, state.Vision)
	require.Equal(t, 32768, state.ContextTokens)
	require.True(t, running.Client.Sees("default"))

	w.start().AtStart(t.Context(), "default")
	require.Equal(t, 2, w.server.calls, "the third worker calls nothing")
}

// TestPriceText proves that a price says where it comes from.
func TestPriceText(t *testing.T) {
	catalog, err := texts.New(nil)
	require.NoError(t, err)
	listed, _ := llm.Provider{BaseURL: "https://api.openai.com/v1", Model: "gpt-5-mini"}.WithPriceList()
	for want, price := range map[string]*llm.Price{
		"$0.25/$2.00 per million tokens (price list of " + llm.PriceListDate() + ")": listed.Price,
		"$0.0028/$15.00 per million tokens (errand.yaml)":                            {Input: 0.0028, Output: 15, Source: llm.PriceConfigured},
		"free (a server on your network)":                                            {Source: llm.PriceOwn},
		"price unknown (set price in errand.yaml)":                                   nil,
	} {
		require.Equal(t, want, background.PriceText(catalog.For("en"), price))
	}
}
