package chaos

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/devserver"
	"errand/internal/test/chaos/rig"
	"errand/internal/test/storetest"
)

// TestTasksInFlight proves that many tasks which are open at once on two workers all
// complete, are each told once, and that nothing goes wrong on the way. ERRAND_CHAOS_TASKS
// is how many; 500 by default.
func TestTasksInFlight(t *testing.T) {
	address := os.Getenv("ERRAND_TEST_APP_POSTGRES")
	if address == "" || os.Getenv("ERRAND_CHAOS") == "" {
		t.Skip("ERRAND_CHAOS is not set, or ERRAND_TEST_APP_POSTGRES: a URL, postgres://…, of a database where schemas may be made")
	}
	n := 500
	if given := atoi("ERRAND_CHAOS_TASKS"); given > 0 {
		n = given
	}
	const chats = 20
	let := make(chan struct{})
	goOn := sync.OnceFunc(func() { close(let) })
	model := httptest.NewServer(&rig.Model{Pause: func(string) time.Duration { <-let; return 0 }})
	t.Cleanup(func() { goOn(); model.Close() })
	database := storetest.Schema(t, address)
	s, err := store.Open(t.Context(), store.Options{PostgreSQL: database})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	dir, port := t.TempDir(), devserver.FreePort(t)
	file := filepath.Join(dir, "errand.yaml")
	// All is asked by one person, on one day.
	yaml := fmt.Sprintf("primary: nikki\nbudgets: {person_day: {calls: %d, tokens: %d, cost: %d}}\n", 10*n, 1_000_000*n, n) +
		"agents:\n  nikki: {instructions: \"AGENT-nikki talks with people.\", delegates: [sasha]}\n  sasha: {instructions: \"AGENT-sasha works.\"}\n"
	if err := os.WriteFile(file, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	spawn(t, "CHAOS_ROLE=server", "ERRAND_DATA="+filepath.Join(dir, "temporal"), fmt.Sprintf("CHAOS_TEMPORAL_PORT=%d", port))
	var list []*process
	var control []string
	for _, name := range []string{"one", "two"} {
		at := fmt.Sprintf("127.0.0.1:%d", devserver.FreePort(t))
		control = append(control, at)
		list = append(list, spawn(t, append(temporalAt(port), "CHAOS_ROLE=worker", "ERRAND_CONFIG="+file, "ERRAND_DATA="+filepath.Join(dir, name), "DATABASE_URL="+database,
			"ERRAND_LISTEN=127.0.0.1:0", "CHAOS_CONTROL="+at, "OPENAI_BASE_URL="+model.URL+"/v1", "OPENAI_API_KEY=none", "ERRAND_MODEL=rig", "ERRAND_CHECK_MODELS=false")...))
	}
	for i, at := range control {
		if err := rig.Patiently(func() error { return get(t.Context(), at, "/connections") }); err != nil {
			t.Fatalf("worker %d is not there: %v; its log:\n%s", i, err, list[i].last())
		}
	}
	began := time.Now()
	var all errgroup.Group
	all.SetLimit(8)
	for i := range n {
		form := url.Values{"channel": {"web"}, "chat": {fmt.Sprintf("chat%d", i%chats)}, "agent": {"sasha"}, "text": {fmt.Sprintf("work m%d.0", i)}}
		all.Go(func() error {
			return post(t.Context(), control[i%2], "/tasks", form) // once: it would be another task
		})
	}
	if err := all.Wait(); err != nil {
		t.Fatal(err)
	}
	made := time.Now()
	goOn()
	open := func(ctx context.Context) int {
		counts, err := s.Counts(ctx)
		if err != nil {
			t.Fatal(err)
		}
		sum := 0
		for _, m := range counts.OpenTasks {
			sum += m
		}
		return sum
	}
	for deadline := time.Now().Add(5*time.Minute + time.Duration(n)*500*time.Millisecond); open(t.Context()) > 0; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("%d tasks are still open; log:\n%s", open(t.Context()), list[0].last())
		}
	}
	done := time.Now()
	early := 0
	for i := range chats {
		early += len(resultCounts(t, s, i))
	}
	tasks, err := s.Tasks(t.Context(), store.TaskFilter{Limit: 2 * n})
	if err != nil {
		t.Fatal(err)
	}
	byText := map[string]int{}
	for _, task := range tasks {
		byText[task.Text]++
		if task.State != core.Completed {
			t.Errorf("%s is %s: %s", task.ID, task.State, task.Error)
		}
	}
	if len(byText) != n {
		t.Errorf("there are %d tasks, want %d", len(byText), n)
	}
	for i := range chats {
		want := (n - i + chats - 1) / chats
		var told map[string]int
		// Results are told a moment after they are there.
		for deadline := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
			told = resultCounts(t, s, i)
			if len(told) >= want || time.Now().After(deadline) {
				break
			}
		}
		if len(told) != want {
			t.Errorf("in chat %d %d results were told, want %d", i, len(told), want)
		}
		for what, times := range told {
			if times != 1 {
				t.Errorf("in chat %d %s was told %d times", i, what, times)
			}
		}
	}
	for i, p := range list {
		p.kill()
		if log := p.log.String(); strings.Contains(log, "level=ERROR") {
			t.Errorf("worker %d met errors:\n%s", i, log)
		}
	}
	t.Logf("%d tasks were made in %s and were all done %s later, when %d of them had been told", n, made.Sub(began).Round(100*time.Millisecond), done.Sub(made).Round(100*time.Millisecond), early)
}

func resultCounts(t *testing.T, s *store.Store, chat int) map[string]int {
	t.Helper()
	events, err := s.Events(t.Context(), core.NewSessionKey(core.WebRoute(fmt.Sprintf("chat%d", chat)), "owner"), 0, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	told := map[string]int{}
	for _, e := range events {
		if e.Type != core.EventReply && e.Type != core.EventLate {
			continue
		}
		for _, found := range rig.DonePattern.FindAllString(e.Text, -1) {
			told[found]++
		}
	}
	return told
}

func get(ctx context.Context, address, path string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+path, nil)
	if err != nil {
		return err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}
