package app_test

import (
	"bytes"
	"strings"
	"sync"
	"testing"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/test/llmtest"
)

// A page is what is printed at the terminal of a worker.
type page struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (p *page) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.Write(b)
}

func (p *page) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

func (p *page) has(s string) bool { return strings.Contains(p.String(), s) }

// TestDeadModel proves that a key which is refused is said in the same words at
// the start, to who asks and in the chat, and is no longer once it is accepted. Then the
// message is answered.
func TestDeadModel(t *testing.T) {
	t.Parallel()
	const want = `The model provider rejected the API key. (Admin: `
	refused := llmtest.Status(401, "invalid_api_key", "who are you")
	server := llmtest.NewServer(t, refused, refused, refused, refused, llmtest.Answers(core.ToolCall{ID: "c", Name: "ready", Arguments: "{}"}))
	terminal := &page{}
	in := install(t, nil, func(o *app.Options) { o.Out = terminal }, func(cfg *config.Config) {
		cfg.Demo = false
		cfg.Models = map[string]config.Model{"default": {Providers: []config.Provider{{Name: "m1", BaseURL: server.BaseURL(), APIKeyEnv: "OSLO_KEY"}}}}
	})
	eventually(t, "the start to say it", func() bool {
		return terminal.has("\nm1: " + want)
	})
	owner := actor.Actor{Person: app.Owner, Role: core.MasterAdmin}
	list, err := ops.Do(t.Context(), in.Service.Runner, api.CheckModels, owner, api.CheckModelsInput{})
	if err != nil || len(list) != 1 || list[0].OK || !strings.HasPrefix(list[0].Says, want) {
		t.Errorf("who asks is told %+v, %v", list, err)
	}
	states := func(by actor.Actor) []core.ModelState {
		about, err := ops.Do(t.Context(), in.Service.Runner, api.GetAbout, by, api.None{})
		if err != nil {
			t.Fatal(err)
		}
		return about.Models
	}
	key := in.send("main", "hello")
	text := textsOf(in.until(key, replies(1)))[0]
	if !strings.HasPrefix(text, want) || text != states(owner)[0].Says+" I will answer as soon as it works again." {
		t.Errorf("the chat says %q, the page %+v", text, states(owner))
	}
	if got := states(actor.Actor{Role: core.Guest}); strings.Contains(got[0].Says, "Admin") {
		t.Errorf("a guest is told %q", got[0].Says)
	}
	for range 5 {
		if list, err = ops.Do(t.Context(), in.Service.Runner, api.CheckModels, owner, api.CheckModelsInput{}); err != nil {
			t.Fatal(err)
		}
		if list[0].OK {
			return
		}
	}
	t.Errorf("it answers now, and is said to be %+v", list)
}
