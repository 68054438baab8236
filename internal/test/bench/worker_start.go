package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"errand/internal/llm/scripted"
	"errand/internal/test/sim/models"
)

// startsAlone measures the start of a process after a kill: of an empty installation, and beside
// conversations that all run in Temporal and have nothing to do.
func startsAlone(ctx context.Context, o Options) error {
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var answered atomic.Int64
	server := httptest.NewServer(models.Serve(scripted.Func(func(context.Context, *scripted.Turn) scripted.Answer {
		answered.Add(1)
		return scripted.Answer{Text: "hello"}
	})))
	defer server.Close()
	data := filepath.Join(dir, "started")
	env, api, err := alone(data, server.URL)
	if err != nil {
		return err
	}
	began := time.Now()
	first, err := spawn(ctx, o, env, api)
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "\nready after %.2f s in an empty folder\n", time.Since(began).Seconds())
	err = converse(ctx, o.Conversations, data, api)
	for err == nil && answered.Load() < int64(o.Conversations) && ctx.Err() == nil {
		time.Sleep(100 * time.Millisecond)
	}
	first.kill()
	if err != nil {
		return err
	}
	began = time.Now()
	second, err := spawn(ctx, o, env, api)
	if err != nil {
		return err
	}
	defer second.kill()
	fmt.Fprintf(o.Out, "ready after %.2f s with %d conversations, after a kill (-9)\n", time.Since(began).Seconds(), o.Conversations)
	began = time.Now()
	before := answered.Load()
	resp, err := asOwner(ctx, data, http.MethodPost, api+"/api/sessions/afterwards/messages", `{"text":"hello"}`)
	if err != nil {
		return err
	}
	resp.Body.Close()
	if err := until(ctx, func() (bool, error) { return answered.Load() > before, nil }); err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "the next message reaches its model after %.2f s\n", time.Since(began).Seconds())
	return nil
}

func converse(ctx context.Context, n int, data, api string) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(16)
	for i := range n {
		all.Go(func() error {
			resp, err := asOwner(ctx, data, http.MethodPost, fmt.Sprintf("%s/api/sessions/chat%d/messages", api, i), `{"text":"hello"}`)
			if err == nil {
				resp.Body.Close()
			}
			return err
		})
	}
	return all.Wait()
}
