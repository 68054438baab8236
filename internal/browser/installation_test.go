package browser

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"errand"
	"errand/agents"
	"errand/config"
	"errand/internal/app"
	"errand/llm"
	"errand/llm/llmtest"
)

// An installation is a whole errand, with a scripted model.
type installation struct {
	t   *testing.T
	cfg *config.Config
	app *app.App
	url string
}

func start(t *testing.T) *installation {
	t.Helper()
	if os.Getenv("ERRAND_TEST_BROWSER") == "" {
		t.Skip("ERRAND_TEST_BROWSER names no browser")
	}
	address := fmt.Sprintf("127.0.0.1:%d", freePort(t))
	cfg, err := config.Load(config.Sources{
		Env: func(name string) string {
			return map[string]string{"ERRAND_DATA": filepath.Join(t.TempDir(), "data")}[name]
		},
		Tools: app.ToolNames(), Flags: config.Flags{Listen: address},
	})
	if err != nil {
		t.Fatal(err)
	}
	cfg.TemporalPort, cfg.UIPort = freePort(t), 0
	cfg.Roster, err = agents.New("nikki", []agents.Agent{
		{Name: "nikki", Instructions: "You are Nikki, the first.", Delegates: []errand.AgentName{"sasha", "finn"}},
		{Name: "sasha", Instructions: "You are Sasha, the researcher.", HandoffTo: []errand.AgentName{"finn"}},
		{Name: "finn", Instructions: "You are Finn, the engineer."},
	}, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	in := &installation{t: t, cfg: cfg, url: "http://" + address}
	in.begin()
	t.Cleanup(in.end)
	return in
}

func (in *installation) begin() {
	in.t.Helper()
	a, err := app.Start(in.t.Context(), app.Options{Config: in.cfg, Model: handing(), Version: "test", StopTimeout: 100 * time.Millisecond})
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

func (in *installation) restart() {
	in.t.Helper()
	in.end()
	in.begin()
}

// handing answers as agents who hand over what begins with "hand over to X",
// and otherwise say who they are and what they heard.
func handing() *llmtest.Model {
	return llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
		last := r.Messages[len(r.Messages)-1]
		if to, ok := strings.CutPrefix(last.Text, "hand over to "); ok && last.Speaker == errand.FromPerson {
			return llmtest.Call("c1", "transfer_to_agent", `{"agent":"`+to+`"}`)
		}
		_, rest, _ := strings.Cut(r.System, "You are ")
		name, _, _ := strings.Cut(rest, ",")
		heard := ""
		for _, m := range r.Messages {
			if m.Speaker == errand.FromPerson {
				heard = m.Text
			}
		}
		return llmtest.Text(name + " heard: " + heard)
	})
}

func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port
}
