package chaos

import (
	"context"
	"database/sql"
	"errors"
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

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"

	"errand/internal/temporal/devserver"
	"errand/internal/test/chaos/rig"
)

// TestNewcomers proves that on a real Temporal with its default four partitions of
// each task queue, new conversations do not wait while others keep the one worker
// busy: with too few pollers their first workflow task lay 10 seconds in a
// partition that nobody polled.
func TestNewcomers(t *testing.T) {
	if os.Getenv("ERRAND_CHAOS") == "" {
		t.Skip("ERRAND_CHAOS is not set")
	}
	const regulars, newcomers, tooLong = 10, 20, 5 * time.Second
	pg, err := rig.StartPostgres(rig.PostgresOptions{})
	if errors.Is(err, rig.ErrNoPostgres) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pg.Close() })
	if err := rig.PrepareTemporal(t.Context(), pg); err != nil {
		t.Fatal(err)
	}
	if err := pg.Exec(t.Context(), "postgres", "CREATE DATABASE errand"); err != nil {
		t.Fatal(err)
	}
	model := httptest.NewServer(&rig.Model{Pause: func(string) time.Duration { return 0 }})
	t.Cleanup(model.Close)
	ports, err := devserver.FreePorts("127.0.0.1", 4)
	if err != nil {
		t.Fatal(err)
	}
	temporal := spawn(t, "CHAOS_ROLE=cluster", fmt.Sprintf("CHAOS_PORTS=%d,%d,%d,%d", ports[0], ports[1], ports[2], ports[3]), fmt.Sprintf("CHAOS_PG_PORT=%d", pg.Port))
	address := fmt.Sprintf("127.0.0.1:%d", ports[0])
	if err := rig.Patiently(func() error { return rig.RegisterNamespace(ports[0]) }); err != nil {
		t.Fatalf("Temporal is not there: %v; its log:\n%s", err, temporal.last())
	}
	dir, control := t.TempDir(), fmt.Sprintf("127.0.0.1:%d", devserver.FreePort(t))
	file := filepath.Join(dir, "errand.yaml")
	if err := os.WriteFile(file, []byte("primary: nikki\nagents:\n  nikki: {instructions: \"AGENT-nikki talks with people.\"}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	worker := spawn(t, "CHAOS_ROLE=worker", "ERRAND_CONFIG="+file, "ERRAND_DATA="+filepath.Join(dir, "data"), "ERRAND_LISTEN=127.0.0.1:0", "CHAOS_CONTROL="+control,
		"OPENAI_BASE_URL="+model.URL+"/v1", "OPENAI_API_KEY=none", "ERRAND_MODEL=rig", "ERRAND_CHECK_MODELS=false", "DATABASE_URL="+pg.URL("errand"), "TEMPORAL_ADDRESS="+address)
	send := func(chat string, n int) {
		form := url.Values{"channel": {"web"}, "chat": {chat}, "id": {fmt.Sprint(n)}, "text": {fmt.Sprintf("say m%d k=0", n)}}
		if err := rig.Patiently(func() error { return post(t.Context(), control, "/say", form) }); err != nil {
			t.Errorf("%s is not accepted: %v; log:\n%s", chat, err, worker.last())
		}
	}
	db, err := sql.Open("pgx", pg.URL("errand"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	replies := func(chat string, want int) {
		err := rig.Patiently(func() error {
			var n int
			err := db.QueryRowContext(t.Context(), `SELECT count(*) FROM events WHERE type = 'reply' AND session_key LIKE $1`, "session/web/local/"+chat+"/%").Scan(&n)
			if err == nil && n < want {
				err = fmt.Errorf("%d replies", n)
			}
			return err
		})
		if err != nil {
			t.Errorf("%s has %v, want %d; log:\n%s", chat, err, want, worker.last())
		}
	}
	done := make(chan struct{})
	var busy, all sync.WaitGroup
	for i := range regulars {
		chat := fmt.Sprintf("regular%d", i)
		send(chat, 0)
		replies(chat, 1)
		busy.Go(func() {
			for n := 1; ; n++ {
				select {
				case <-done:
					return
				default:
					send(chat, n)
					replies(chat, n+1)
				}
			}
		})
	}
	for i := range newcomers {
		all.Go(func() {
			send(fmt.Sprintf("new%d", i), 0)
			replies(fmt.Sprintf("new%d", i), 1)
		})
	}
	all.Wait()
	close(done)
	busy.Wait()
	c, err := client.DialContext(t.Context(), client.Options{HostPort: address})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var longest time.Duration
	for i := range newcomers {
		id := fmt.Sprintf("session/web/local/new%d/-/owner", i)
		longest = max(longest, firstTask(t, c, id))
	}
	t.Logf("the first workflow task of %d new conversations waited %s at most", newcomers, longest.Round(time.Millisecond))
	if longest > tooLong {
		t.Errorf("a new conversation waited %s for its first workflow task; log:\n%s", longest, strings.TrimSpace(worker.last()))
	}
}

func firstTask(t *testing.T, c client.Client, id string) time.Duration {
	t.Helper()
	var scheduled time.Time
	events := c.GetWorkflowHistory(t.Context(), id, "", false, enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT)
	for events.HasNext() {
		e, err := events.Next()
		if err != nil {
			t.Fatal(err)
		}
		switch e.GetEventType() {
		case enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED:
			scheduled = e.GetEventTime().AsTime()
		case enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED:
			return e.GetEventTime().AsTime().Sub(scheduled)
		}
	}
	t.Fatalf("%s never began", id)
	return 0
}

func post(ctx context.Context, address, path string, form url.Values) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+address+path, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}
