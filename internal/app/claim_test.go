package app_test

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/ownerkey"
	"errand/internal/temporal/devserver"
	"errand/internal/temporal/wire"
	"errand/internal/test/llmtest"
	"errand/internal/test/storetest"
)

func at(t *testing.T, in *installation) func(*config.Config) {
	t.Helper()
	key, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", in.opts.Config.TemporalPort)
	for _, v := range devserver.ClientEnv(address, devserver.DefaultNamespace, key) {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	return func(c *config.Config) { c.Temporal.Address, c.Temporal.Namespace = address, devserver.DefaultNamespace }
}

func onSQLite(c *config.Config) { c.DatabaseURL = "" }

func refusedStart(t *testing.T, o app.Options, words ...string) {
	t.Helper()
	o.Model, o.Logger = script(nil), testLogger(t)
	a, err := app.Start(t.Context(), o)
	if err == nil {
		a.Stop(t.Context())
		t.Fatal("it starts")
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("it says %q, want %q in it", err, w)
		}
	}
}

// TestANamespaceBelongsToOneStore proves that a worker of another store does not
// start in a namespace, says whose that is and what to do, and can take it over.
func TestANamespaceBelongsToOneStore(t *testing.T) {
	in := install(t, script(nil), nil, onSQLite)
	there := at(t, in)
	cfg := testConfig(t, t.TempDir())
	there(cfg)
	refusedStart(t, app.Options{Config: cfg}, in.Store.ID(), "TEMPORAL_NAMESPACE", "--take-over")
	t.Setenv("TEMPORAL_NAMESPACE", "gone")
	cfg.Temporal.Namespace = "gone"
	refusedStart(t, app.Options{Config: cfg}, "temporal operator namespace create --namespace gone", "TEMPORAL_NAMESPACE")

	// The same store again: nothing is asked.
	in.stop()
	in.start()

	// Another store in the same folder: errand.db was replaced, temporal.db was not.
	in.stop()
	if err := os.Rename(in.opts.Config.Data+"/errand.db", in.opts.Config.Data+"/old.db"); err != nil {
		t.Fatal(err)
	}
	other := install(t, script(nil), nil, onSQLite)
	other.stop()
	content, err := os.ReadFile(other.opts.Config.Data + "/errand.db")
	if err != nil {
		t.Fatal(err)
	}
	put(t, in.opts.Config.Data+"/errand.db", content)
	refusedStart(t, app.Options{Config: in.opts.Config}, "errand upgrade", "errand.db")
	in.opts.TakeOver = true
	in.start()
	in.opts.TakeOver = false
	in.stop()
	in.start()
}

// TestAStoreBelongsToOneNamespace proves that a store does not move to another
// Temporal by mistake, and that losing Temporal's database is no move.
func TestAStoreBelongsToOneNamespace(t *testing.T) {
	in := install(t, script(nil), nil)
	in.stop()
	if _, err := devserver.Replace(in.opts.Config.Data); err != nil { // errand upgrade
		t.Fatal(err)
	}
	in.start()
	in.stop()

	other := install(t, script(nil), nil)
	// Somebody ends the claim of the other store: the namespace is free.
	if err := other.Client.TerminateWorkflow(t.Context(), wire.ClaimID, "", "given up"); err != nil {
		t.Fatal(err)
	}
	at(t, other)(in.opts.Config)
	refusedStart(t, app.Options{Config: in.opts.Config}, "embedded Temporal", "--take-over", "TEMPORAL_ADDRESS")
}

func sharedDatabase(t *testing.T) func(*config.Config) {
	t.Helper()
	address := cmp.Or(os.Getenv("ERRAND_TEST_APP_POSTGRES"), os.Getenv("ERRAND_TEST_POSTGRES"))
	if address == "" {
		t.Skip("ERRAND_TEST_POSTGRES is not set")
	}
	database := config.Secret(storetest.Schema(t, address))
	return func(c *config.Config) { c.DatabaseURL = database }
}

// TestTwoEmbeddedTemporalsOnOneStore proves that the second worker that brings a
// Temporal of its own is refused while the first one lives, and may follow it.
func TestTwoEmbeddedTemporalsOnOneStore(t *testing.T) {
	shared := sharedDatabase(t)
	first := install(t, script(nil), nil, shared)
	cfg := testConfig(t, t.TempDir())
	shared(cfg)
	refusedStart(t, app.Options{Config: cfg}, "TEMPORAL_ADDRESS", "errand env", "stop the other worker")
	first.stop()
	second := &installation{t: t, opts: app.Options{Config: cfg, Model: script(nil), Logger: testLogger(t)}}
	second.start()
}

// TestAnotherWorkersStepsGoOn proves that a worker that starts again takes nothing
// from one that works on its Temporal and is alive.
func TestAnotherWorkersStepsGoOn(t *testing.T) {
	shared := sharedDatabase(t)
	type call struct {
		text   string
		second bool // made by the second worker
	}
	release, began := make(chan struct{}), make(chan call, 1000)
	model := func(second bool) *llmtest.Model {
		return llmtest.Func(func(ctx context.Context, r llm.Request) llmtest.Reply {
			began <- call{r.Messages[len(r.Messages)-1].Text, second}
			select {
			case <-release:
				return llmtest.Text("done")
			case <-ctx.Done():
				return llmtest.Fail(ctx.Err())
			}
		})
	}
	first := install(t, model(false), nil, shared)
	second := install(t, model(true), nil, shared, at(t, first))
	var keys []core.SessionKey
	ofFirst, ofSecond := map[string]bool{}, map[string]bool{}
	for len(ofFirst) < 3 || len(ofSecond) < 3 {
		if len(keys) == 100 {
			t.Fatal("one of the workers takes nothing")
		}
		keys = append(keys, second.send(fmt.Sprint("chat", len(keys)), fmt.Sprint("hello ", len(keys))))
		c := <-began
		map[bool]map[string]bool{true: ofSecond, false: ofFirst}[c.second][c.text] = true
	}
	first.stop()
	first.start()
	for len(ofFirst) > 0 { // what died with the first is made again
		c := <-began
		if ofSecond[c.text] {
			t.Errorf("a call of the living worker is made again: %s", c.text)
		}
		delete(ofFirst, c.text)
	}
	close(release)
	for _, key := range keys {
		second.until(key, replies(1))
	}
}
