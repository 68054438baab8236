package activities

import (
	"context"
	"database/sql"
	"encoding/json"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/core"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/test/llmtest"
	"errand/internal/test/storetest"
	"errand/internal/tools"
)

// away keeps the store of a thinker from writing, from a point on and until an outcome is kept.
func away(t *testing.T, k *thinker, file string, at probe.Point) {
	t.Helper()
	other, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	t.Cleanup(func() { other.Close() })
	other.SetMaxOpenConns(1)
	once := sync.OnceFunc(func() {
		_, err := other.ExecContext(context.Background(), `BEGIN IMMEDIATE`)
		require.NoError(t, err)
	})
	kept := make(chan struct{})
	k.change(func(d *Deps) {
		d.Probe = func(p probe.Point) {
			if p == at {
				once()
			}
		}
		d.Logger = slog.New(slog.NewTextHandler(writer(func(line string) {
			if strings.Contains(line, "errand keeps the outcome") {
				close(kept)
			}
		}), nil))
	})
	go func() {
		<-kept
		_, err := other.ExecContext(context.Background(), `ROLLBACK`)
		if err != nil {
			t.Error(err)
		}
	}()
}

type writer func(string)

func (w writer) Write(p []byte) (int, error) { w(string(p)); return len(p), nil }

// TestKeepsResult proves that the result of a tool which must not run twice is kept while the
// store is away, and is what the agent reads.
func TestKeepsResult(t *testing.T) {
	t.Parallel()
	file := storetest.File(t)
	k := newThinkerOn(t, openedOn(t, file, store.Limits{}), core.MasterAdmin)
	runs := 0
	k.plans(tools.Tool{Effect: tools.Once, Run: func(context.Context, store.Call, json.RawMessage) (string, error) {
		runs++
		return "paid", nil
	}})
	away(t, k, file, probe.AfterTool)
	require.NoError(t, k.call())
	require.NoError(t, k.call())
	require.Equal(t, 1, runs)
	require.Equal(t, "paid", k.result())
}

// TestKeepsAnswer proves the same of an answer of a model: it is not paid for again.
func TestKeepsAnswer(t *testing.T) {
	t.Parallel()
	file := storetest.File(t)
	k := newThinkerOn(t, openedOn(t, file, store.Limits{}), core.MasterAdmin)
	k.accept("hello")
	away(t, k, file, probe.BeforeT2)
	calls := 0
	k.untilOver(k.step(1, 1), func(int) llmtest.Reply {
		calls++
		return llmtest.Text("by train")
	})
	require.Equal(t, 1, calls)
}

// TestGivesBack proves that a call whose result cannot be committed is given back: its worker
// lives, and however often that happens the model reads the result in the end.
func TestGivesBack(t *testing.T) {
	t.Parallel()
	file := storetest.File(t)
	k := newThinkerOn(t, openedOn(t, file, store.Limits{}), core.MasterAdmin)
	k.plans(tools.Tool{Effect: tools.Idempotent, Run: func(context.Context, store.Call, json.RawMessage) (string, error) { return "done", nil }})
	other, err := sql.Open("sqlite", file)
	require.NoError(t, err)
	defer other.Close()
	_, err = other.ExecContext(t.Context(), `CREATE TRIGGER refuse BEFORE INSERT ON messages BEGIN SELECT RAISE(ABORT, 'refused'); END`)
	require.NoError(t, err)
	for range maxLost + 1 {
		require.ErrorContains(t, k.call(), "refused")
	}
	_, err = other.ExecContext(t.Context(), `DROP TRIGGER refuse`)
	require.NoError(t, err)
	require.NoError(t, k.call())
	require.Equal(t, "done", k.result())
}

// TestDropsOutcome proves that errand logs an error when it drops an outcome.
func TestDropsOutcome(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log strings.Builder
		a := newWorker(Deps{Logger: slog.New(slog.NewTextHandler(&log, nil))})
		began := time.Now()
		err := a.keep(t.Context(), func(context.Context) error { return io.ErrUnexpectedEOF })
		require.ErrorIs(t, err, io.ErrUnexpectedEOF)
		require.Equal(t, store.KeepOutcome, time.Since(began))
		require.Contains(t, log.String(), `level=ERROR msg="store not reachable for too long; outcome dropped"`)
	})
}
