package app

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.temporal.io/api/serviceerror"
)

// TestKeepScheduled proves that maintenance is scheduled as soon as Temporal lets it,
// however long that takes, that it is said once meanwhile, and that a schedule which
// somebody deletes is back within minutes.
func TestKeepScheduled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var log bytes.Buffer
		var mu sync.Mutex // of what follows
		began, away, scheduled := time.Now(), time.Hour, false
		ensured, restored := 0, 0
		ensure := func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			if ensured++; time.Since(began) < away {
				return errors.New("Temporal is away")
			}
			scheduled = true
			return nil
		}
		restore := func(context.Context) error {
			mu.Lock()
			defer mu.Unlock()
			restored++
			scheduled = true
			return nil
		}
		done := make(chan struct{})
		go func() {
			defer close(done)
			keepScheduled(ctx, ensure, restore, slog.New(slog.NewTextHandler(&log, nil)))
		}()
		time.Sleep(away + scheduleAgain)
		synctest.Wait()
		mu.Lock()
		if !scheduled || restored > 0 || strings.Count(log.String(), "maintenance and backups not scheduled") != 1 {
			t.Errorf("scheduled %v, restored %d times, log:\n%s", scheduled, restored, log.String())
		}
		tries := ensured
		scheduled = false // somebody deletes it
		mu.Unlock()
		time.Sleep(scheduleEvery)
		synctest.Wait()
		mu.Lock()
		if !scheduled || ensured > tries {
			t.Errorf("deleted, it is scheduled: %v; set as at the start %d times more", scheduled, ensured-tries)
		}
		mu.Unlock()
		cancel()
		<-done
	})
}

// TestNamespaceGone proves that a worker whose namespace is deleted ends with words that
// say what to do.
func TestNamespaceGone(t *testing.T) {
	a := &App{lifecycle: lifecycle{failed: make(chan error, 1)}}
	queueWorkers{parts: &a.lifecycle}.options("errand", 1, 0).OnFatalError(serviceerror.NewNamespaceNotFound("shop"))
	err := a.Wait(t.Context())
	for _, want := range []string{"temporal worker of errand", "temporal operator namespace create --namespace shop", "TEMPORAL_NAMESPACE", "goes on from the store"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("it ends with %v, want %q in it", err, want)
		}
	}
}
