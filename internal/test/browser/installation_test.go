package browser

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"errand/activities"
	"errand/api"
	"errand/internal/agents"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/temporal/devserver"
	"errand/internal/test/llmtest"
)

// An installation is a whole errand, with a scripted model.
type installation struct {
	t   *testing.T
	cfg *config.Config
	app *app.App
	url string
	// model answers; nil: the models of cfg do.
	model activities.Model
}

// start starts an installation. The test runs in parallel with others.
func start(t *testing.T, changes ...func(*installation)) *installation {
	t.Helper()
	t.Parallel()
	return startAlone(t, changes...)
}

// startAlone starts an installation for a test that measures: such tests run before all others.
func startAlone(t *testing.T, changes ...func(*installation)) *installation {
	t.Helper()
	if os.Getenv("ERRAND_TEST_BROWSER") == "" {
		t.Skip("ERRAND_TEST_BROWSER names no browser")
	}
	address := fmt.Sprintf("127.0.0.1:%d", devserver.FreePort(t))
	cfg, err := config.Load(config.Sources{
		Env: func(name string) string {
			return map[string]string{"ERRAND_DATA": filepath.Join(t.TempDir(), "data")}[name]
		},
		Tools: app.ToolNames(), Flags: config.Flags{Listen: address},
	})
	if err != nil {
		t.Fatal(err)
	}
	// Browsers trust a page less that is neither on this machine nor under TLS.
	cfg.PublicURL = "http://" + strings.Replace(address, "127.0.0.1", elsewhere, 1)
	cfg.TemporalPort, cfg.UIPort = devserver.FreePort(t), 0
	cfg.Roster, err = agents.New("nikki", []agents.Agent{
		{Name: "nikki", Instructions: "You are Nikki, the first.", Delegates: []core.AgentName{"sasha", "finn"}},
		{Name: "sasha", Instructions: "You are Sasha, the researcher.", HandoffTo: []core.AgentName{"finn"}},
		{Name: "finn", Instructions: "You are Finn, the engineer."},
	}, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	in := &installation{t: t, cfg: cfg, url: "http://" + address, model: llmtest.HandingOver()}
	for _, change := range changes {
		change(in)
	}
	in.begin()
	t.Cleanup(in.end)
	return in
}

func (in *installation) begin() {
	in.t.Helper()
	a, err := app.Start(in.t.Context(), app.Options{Config: in.cfg, Model: in.model, Version: "test", StopTimeout: 100 * time.Millisecond})
	if err != nil {
		in.t.Fatal(err)
	}
	in.app = a
}

func (in *installation) end() {
	// The test's context is done by the time it cleans up.
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	in.app.Stop(ctx)
}

// link logs a browser in as the owner.
func (in *installation) link() string {
	in.t.Helper()
	link, err := in.app.OpenLink(in.t.Context())
	if err != nil {
		in.t.Fatal(err)
	}
	return link
}

func (in *installation) restart() {
	in.t.Helper()
	in.end()
	in.begin()
}

// linkOf logs a browser in as somebody of a role, who may be new.
func (in *installation) linkOf(id core.PersonID, role core.Role) string {
	in.t.Helper()
	_, err := in.app.Store.EnsurePerson(in.t.Context(), id, string(id), role)
	if err != nil {
		in.t.Fatal(err)
	}
	by, err := in.app.Service.Logins.ActorOf(in.t.Context(), id)
	if err != nil {
		in.t.Fatal(err)
	}
	link, err := ops.Do(in.t.Context(), in.app.Service.Runner, api.CreateLoginLink, by, api.CreateLoginLinkInput{})
	if err != nil {
		in.t.Fatal(err)
	}
	return in.url + link.Path
}
