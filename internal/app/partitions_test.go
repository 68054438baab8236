package app_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	historypb "go.temporal.io/api/history/v1"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/temporal/devserver"
)

// TestPartitions proves that on a cluster, where a task queue has four partitions,
// one worker leaves no new conversation waiting while others keep it busy.
func TestPartitions(t *testing.T) {
	server, err := devserver.Start(t.Context(), devserver.Options{Dir: t.TempDir(), Port: devserver.FreePort(t), Key: "key", Partitions: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Stop(t.Context()) })
	t.Setenv("TEMPORAL_ADDRESS", server.Address())
	t.Setenv("TEMPORAL_API_KEY", "key")
	t.Setenv("TEMPORAL_TLS", "false")
	in, _ := play(t, nil, func(c *config.Config) { c.Temporal.Address = server.Address() })
	// Each writes again as soon as it is answered: of those that have begun there is
	// always something to do.
	began := time.Now()
	var talking sync.WaitGroup
	var failed atomic.Value
	keys := make([]core.SessionKey, 20)
	for c := range keys {
		keys[c] = core.NewSessionKey(core.WebRoute(fmt.Sprintf("chat %d", c)), app.Owner)
		talking.Go(func() {
			for turn := 1; turn <= 12; turn++ {
				if err := in.talk(fmt.Sprintf("chat %d", c), keys[c], turn); err != nil {
					failed.Store(err)
					return
				}
			}
		})
	}
	talking.Wait()
	if err := failed.Load(); err != nil {
		t.Fatal(err)
	}
	var worst time.Duration
	for _, key := range keys {
		worst = max(worst, longestWait(in.history(t.Context(), string(key), "")))
	}
	took := time.Since(began)
	t.Logf("the longest wait for a worker: %v of %v", worst, took)
	// Left out, it waits for as long as the others talk.
	if worst > took/2 {
		t.Errorf("a conversation waited %v for a worker, of %v", worst, took)
	}
}

func (in *installation) talk(chat string, key core.SessionKey, n int) error {
	ctx, cancel := context.WithTimeout(in.t.Context(), time.Minute)
	defer cancel()
	_, err := in.Intake.Accept(ctx, intake.Inbound{Route: core.WebRoute(chat), Person: app.Owner, Role: core.MasterAdmin, Text: "hello"})
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for err == nil {
		var events []core.Event
		if events, err = in.Store.Events(ctx, key, 0, 1000); err == nil && len(textsOf(events)) >= n {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	return err
}

// longestWait is for how long a workflow task of a history was not begun.
func longestWait(h *historypb.History) time.Duration {
	var scheduled time.Time
	var worst time.Duration
	for _, e := range h.GetEvents() {
		switch e.GetEventType() {
		case enumspb.EVENT_TYPE_WORKFLOW_TASK_SCHEDULED:
			scheduled = e.GetEventTime().AsTime()
		case enumspb.EVENT_TYPE_WORKFLOW_TASK_STARTED:
			worst = max(worst, e.GetEventTime().AsTime().Sub(scheduled))
		}
	}
	return worst
}
