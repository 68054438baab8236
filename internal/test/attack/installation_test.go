package attack

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/temporal/devserver"
	"errand/internal/test/llmtest"
)

// An installation is a whole errand, with a model that does what people tell it.
type installation struct {
	*app.App
	cfg   *config.Config
	model *reader
	url   string // of the pages
	site  string // of somebody else, see hostileSite
	out   *paper // what its owner reads at the terminal
	log   *paper // from debug on

	// Who attacks it. The stranger and the neighbour show nothing; the one comes
	// through a proxy, where there is one, the other has an account on the machine.
	stranger, neighbour, guest, member, partner visitor
	owner                                       visitor // shows the key
}

var here *installation

func TestMain(m *testing.M) {
	if code, is := app.Job(os.Args[1:]); is { // of the installation
		os.Exit(code)
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "errand-attack-")
		if err != nil {
			panic(err)
		}
		defer os.RemoveAll(dir)
		site := httptest.NewServer(hostileSite())
		defer site.Close()
		if here, err = start(dir, site); err != nil {
			fmt.Fprintln(os.Stderr, "start the installation:", err)
			return 1
		}
		defer here.stop()
		return m.Run()
	}())
}

func start(dir string, site *httptest.Server) (*installation, error) {
	ports, err := devserver.FreePorts("127.0.0.1", 2)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(dir, "errand.yaml")
	if err := os.WriteFile(file, []byte(settings(site)), 0o600); err != nil {
		return nil, err
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	env := map[string]string{"ERRAND_DATA": filepath.Join(dir, "data"), "ERRAND_CONFIG": file, "ERRAND_TOKEN": "a token of the installation", "SITE_TOKEN": siteToken}
	cfg, err := config.Load(config.Sources{
		Env: func(name string) string { return env[name] }, Tools: app.ToolNames(), Flags: config.Flags{Listen: "127.0.0.1:0"},
	})
	if err != nil {
		return nil, err
	}
	cfg.TemporalPort, cfg.UIPort = ports[0], ports[1]
	all, err := limitFiles(mostFiles)
	if err != nil {
		return nil, err
	}
	defer all() // the attackers' own connections are in this process too
	in := &installation{cfg: cfg, model: &reader{Stage: llmtest.NewStage()}, site: site.URL, out: new(paper), log: new(paper)}
	in.App, err = app.Start(context.Background(), app.Options{
		Config: cfg, Version: "test", Program: program, Out: in.out, StopTimeout: 100 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(in.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Model:  in.model,
	})
	if err != nil {
		return nil, err
	}
	in.url = "http://" + in.Address
	return in, in.people(context.Background())
}

// people lets a guest, a member and a partner in, with a token each.
func (in *installation) people(ctx context.Context) error {
	in.stranger, in.neighbour = visitor{name: "stranger"}, visitor{name: "neighbour"}
	in.owner = visitor{"owner", "Bearer " + in.Key()}
	for v, role := range map[*visitor]core.Role{&in.guest: core.Guest, &in.member: core.Member, &in.partner: core.Partner} {
		id := core.PersonID("p-" + string(role))
		if _, err := in.Store.EnsurePerson(ctx, id, string(role), role); err != nil {
			return err
		}
		token, _, err := in.Store.CreateToken(ctx, core.Token{Person: id, Kind: core.TokenAPI, Name: "attack"}, time.Hour)
		if err != nil {
			return err
		}
		*v = visitor{string(role), "Bearer " + token}
	}
	return nil
}

func (in *installation) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	in.App.Stop(ctx)
}

// A visitor is somebody who attacks, and what they show.
type visitor struct {
	name          string
	authorization string
}

// An answer is what somebody got.
type answer struct {
	status int
	header http.Header
	body   string
}

// ask sends a request to the pages. header is name, value, name, value; Host is
// the name by which the installation is called.
func (v visitor) ask(t *testing.T, method, path, body string, header ...string) answer {
	t.Helper()
	return v.askAt(t, here.url, method, path, body, header...)
}

func (v visitor) askAt(t *testing.T, base, method, path, body string, header ...string) answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if v.authorization != "" {
		req.Header.Set("Authorization", v.authorization)
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Add(header[i], header[i+1])
	}
	resp, err := browser.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{resp.StatusCode, resp.Header, string(raw)}
}

// browser follows nothing and keeps nothing.
var browser = &http.Client{
	Timeout:       time.Minute, // a page may be read for 20 seconds
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}
