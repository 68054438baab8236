package browser

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/temporal/devserver"
	"errand/internal/test/llmtest"
)

func withModels(urls map[string]string) func(*installation) {
	return func(in *installation) {
		in.model, in.cfg.Demo, in.cfg.Models = nil, false, map[string]config.Model{}
		for name, url := range urls {
			in.cfg.Models[name] = config.Model{Providers: []config.Provider{{Name: "qwen3", BaseURL: url + "/v1"}}}
		}
	}
}

// TestRefusedModel proves that a person who waits reads at once why the provider refuses and what
// to do, and gets the answer when the model works.
func TestRefusedModel(t *testing.T) {
	var now atomic.Value
	now.Store(llmtest.Status(401, "invalid_api_key", "who are you"))
	model := llmtest.NewServer(t, func(w http.ResponseWriter, r *http.Request) { now.Load().(llmtest.Behaviour)(w, r) })
	in := start(t, withModels(map[string]string{"default": model.URL}))
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	owner.says("hello")
	owner.sees("#log .notice", "The model provider rejected the API key.")
	owner.sees("#log .notice", "HTTP 401")
	owner.sees("#log .notice", "I will answer as soon as it works again.")
	owner.sees("#dead-model", "The model provider rejected the API key.")
	owner.narrow()

	now.Store(llmtest.Status(404, "model_not_found", "try pulling it first"))
	owner.sees("#doing", "try pulling it first")

	owner.open(in.url + "/") // who comes back later reads it, too
	owner.sees("#log .notice", "I will answer as soon as it works again.")
	now.Store(llmtest.Answer("Here I am."))
	owner.sees("#log .reply", "Here I am.")
	owner.until("no banner", func() bool { return owner.text("#dead-model") == "" })
	if n := owner.count("#log .notice"); n != 1 {
		t.Errorf("it was said %d times", n)
	}
}

// TestUnreachableModel proves that whoever waits sees each attempt with its cause,
// that the card of a task says why the task does not go on, and that both go on by
// themselves when the model is there.
func TestUnreachableModel(t *testing.T) {
	later := fmt.Sprintf("127.0.0.1:%d", devserver.FreePort(t))
	model := httptest.NewServer(http.HandlerFunc(delegating))
	t.Cleanup(model.Close)
	in := start(t, withModels(map[string]string{"default": model.URL, "small": "http://" + later}), func(in *installation) {
		sasha, _ := in.cfg.Roster.Agent("sasha")
		sasha.Model = "small" // where nothing listens yet
	})
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	owner.says("compare night trains")
	owner.sees("#log .reply", "Sasha is on it.")
	owner.sees("#log .task.working", "The model server can't be reached.")
	owner.open(in.url + "/tasks") // which knows of attempts by the row alone
	owner.sees(".task-row.working .trouble", "The model server can't be reached.")
	owner.sees(".task-row.working .trouble", "Trying again in")
	owner.narrow()

	owner.open(in.url + "/")
	owner.sees("#with", "Nikki") // who thinks with another model
	if n := owner.count("#dead-model"); n != 0 {
		t.Error("the chat with Nikki is told of a model that she does not think with")
	}
	owner.says("/agent sasha")
	owner.sees("#log", "Sasha")
	owner.says("are you there?")
	owner.sees("#doing", "The model server can't be reached.")
	owner.sees("#doing", "attempt 2")
	owner.sees("#dead-model", "The model server can't be reached.")

	listener, err := net.Listen("tcp", later)
	if err != nil {
		t.Fatal(err)
	}
	small := &httptest.Server{Listener: listener, Config: &http.Server{Handler: llmtest.Answer("The train leaves at nine.")}}
	small.Start()
	t.Cleanup(func() { small.CloseClientConnections(); small.Close() })
	owner.sees("#log .reply", "The train leaves at nine.")
	owner.sees("#log .task.completed", "completed")
	owner.until("no trouble on the card", func() bool { return owner.text("#log .task .trouble") == "" })
	owner.until("no banner", func() bool { return owner.text("#dead-model") == "" })
}

func delegating(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Messages []struct{ Role, Content string }
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil || len(asked.Messages) < 3 {
		llmtest.Answer("Yes.")(w, r) // to the list of models, and to the check at start
		return
	}
	switch last := asked.Messages[len(asked.Messages)-2]; { // behind it is errand's note
	case last.Role == "tool":
		llmtest.Answer("Sasha is on it.")(w, r)
	case strings.Contains(last.Content, "trains"):
		llmtest.Answers(core.ToolCall{ID: "c1", Name: "call_agent_async", Arguments: `{"agent":"sasha","task":"compare night trains"}`})(w, r)
	default:
		llmtest.Answer("Nikki heard you.")(w, r)
	}
}

// TestModelsPage proves that the page of models shows which agents use each model, its price and its
// settings, and that *Try* shows how fast the model answers, or why it does not answer.
func TestModelsPage(t *testing.T) {
	model := llmtest.NewServer(t, llmtest.Answer("Here I am."))
	in := start(t, withModels(map[string]string{"default": model.URL, "small": "http://127.0.0.1:1"}), func(in *installation) {
		sasha, _ := in.cfg.Roster.Agent("sasha")
		sasha.Model = "small"
	})
	owner := atBrowser(t, "owner")
	owner.open(in.link())
	owner.sees("#who", "Admin")
	owner.open(in.url + "/models")
	owner.sees("[data-model=default] summary", "Default")
	if owner.has("[data-model=small] summary", "Default") {
		t.Error("both models are the default")
	}
	owner.clicks("[data-model=default] .act button")
	owner.sees("[data-model=default].down .answers", "did not call the tool")
	owner.clicks("[data-model=small] .act button")
	owner.sees("[data-model=small].down .answers", "The model server can't be reached.")
	owner.accessible("models, folded")
	owner.clicks("[data-model=small] summary")
	owner.sees("[data-model=small] dl", "Sasha")
	owner.sees("[data-model=small] dl", "models.small:")
	owner.sees("[data-model=small] dl", "api_key_env")
	owner.clicks("[data-model=default] summary")
	owner.sees("[data-model=default] dl", "Nikki")
	owner.accessible("models, unfolded")
	owner.narrow()
	owner.picture("models")
}
