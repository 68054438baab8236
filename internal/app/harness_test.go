package app_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/store"
	"errand/internal/temporal/devserver"
	"errand/internal/temporal/wire"
	"errand/internal/test/storetest"
	"errand/internal/test/workflowtest"
)

// An installation is a whole errand on the real embedded server, in a folder of
// its own.
type installation struct {
	*app.App
	t    *testing.T
	dir  string
	opts app.Options
	tune []func(*config.Config)
}

func install(t *testing.T, model activities.Model, change func(*app.Options), tune ...func(*config.Config)) *installation {
	t.Helper()
	in := &installation{t: t, dir: t.TempDir(), tune: tune}
	in.opts = app.Options{Model: model, Version: "test", Logger: testLogger(t)}
	if change != nil {
		change(&in.opts)
	}
	in.start()
	return in
}

// of is in for a subtest that shares it with others: what goes wrong is the
// subtest's. Only in itself is stopped and started again.
func (in *installation) of(t *testing.T) *installation {
	shared := *in
	shared.t = t
	return &shared
}

func (in *installation) start() {
	in.t.Helper()
	if in.opts.Config == nil {
		in.opts.Config = testConfig(in.t, in.dir)
		for _, tune := range in.tune {
			tune(in.opts.Config)
		}
	}
	in.opts.StopTimeout = 100 * time.Millisecond
	a, err := app.Start(in.t.Context(), in.opts)
	if err != nil {
		in.t.Fatal(err)
	}
	in.App = a
	in.t.Cleanup(in.stop)
}

func (in *installation) stop() {
	if in.App == nil {
		return
	}
	// The test's context is done by the time it cleans up.
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	in.App.Stop(ctx)
	in.App = nil
}

// limit is how long a test waits for what has to come: longer than it takes on a
// machine with ten times as much to do. Nothing takes that long but a test that fails.
const limit = 2 * time.Minute

var owner = actor.Actor{Person: app.Owner, Role: core.MasterAdmin}

func (in *installation) send(chat, text string) core.SessionKey {
	in.t.Helper()
	return in.sendWithID(chat, text, "")
}

func (in *installation) sendWithID(chat, text, id string) core.SessionKey {
	in.t.Helper()
	out, err := in.Intake.Accept(in.t.Context(), intake.Inbound{
		Route: core.WebRoute(chat), Person: app.Owner, Role: core.MasterAdmin, MessageID: id, Text: text})
	if err != nil {
		in.t.Fatal(err)
	}
	return out.Key
}

// until waits for the log of a conversation to satisfy done, and returns it.
func (in *installation) until(key core.SessionKey, done func([]core.Event) bool) []core.Event {
	in.t.Helper()
	ctx, cancel := context.WithTimeout(in.t.Context(), limit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		events, err := in.Store.Events(ctx, key, 0, 1000)
		if err != nil && ctx.Err() == nil {
			in.t.Fatal(err)
		}
		if err == nil && done(events) {
			return events
		}
		select {
		case <-ctx.Done():
			last, err := in.Store.Events(in.t.Context(), key, 0, 1000)
			in.t.Fatalf("it did not come to that; the log is (%v):\n%s", err, show(last))
		case <-tick.C:
		}
	}
}

var textsOf = workflowtest.TextsOf

func replies(n int) func([]core.Event) bool {
	return func(events []core.Event) bool { return len(textsOf(events)) >= n }
}

func show(events []core.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%d %s %s %s %s %q\n", e.ID, e.Type, e.Agent, e.Task, e.State, e.Text)
	}
	return b.String()
}

func quick(s *wire.Settings) {
	s.FoldWindow = 200 * time.Millisecond
	s.Patience = 20 * time.Second
}

func testConfig(t *testing.T, dir string) *config.Config {
	t.Helper()
	env := map[string]string{"ERRAND_DATA": filepath.Join(dir, "data"), "DATABASE_URL": database(t)}
	cfg, err := config.Load(config.Sources{
		Env:   func(name string) string { return env[name] },
		Tools: app.ToolNames(),
		Flags: config.Flags{Listen: "127.0.0.1:0"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if cfg.DatabaseURL == "" {
		emptyStore(t, cfg.Data)
	}
	cfg.Limits.PerMinute = config.Rates{}
	cfg.Limits.OpenTasks = 0
	cfg.TemporalPort, cfg.UIPort = devserver.FreePort(t), 0
	return cfg
}

// emptyStore makes the store of a data folder, without creating its tables again.
func emptyStore(t *testing.T, data string) {
	t.Helper()
	if err := os.MkdirAll(data, 0o700); err != nil {
		t.Fatal(err)
	}
	storetest.FileAt(t, filepath.Join(data, "errand.db"))
}

// database is where the tests that run on PostgreSQL too keep their words:
// ERRAND_TEST_APP_POSTGRES is a URL of a database where schemas may be made.
func database(t *testing.T) string {
	t.Helper()
	address := os.Getenv("ERRAND_TEST_APP_POSTGRES")
	if address == "" {
		return "" // SQLite
	}
	return storetest.Schema(t, address)
}

func testLogger(t *testing.T) *slog.Logger {
	if os.Getenv("ERRAND_TEST_LOG") == "" {
		return slog.New(slog.DiscardHandler)
	}
	return slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

func (in *installation) tasks(chat string) []core.Task {
	in.t.Helper()
	list, err := in.Store.Tasks(in.t.Context(), store.TaskFilter{Limit: 1000})
	if err != nil {
		in.t.Fatal(err)
	}
	return slices.DeleteFunc(list, func(task core.Task) bool { return task.Origin.Chat != chat })
}
