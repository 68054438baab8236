package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/store/sqldb"
	"errand/internal/temporal/devserver"
)

// speaks is how long the model takes for the rest of an answer, after its first word.
const speaks = 60 * time.Millisecond

// speak answers word by word, and notes when the first was said.
func (m *instant) speak(ctx context.Context, deltas func(llm.Delta)) (llm.Response, error) {
	m.spoke.Store(time.Now().UnixNano())
	deltas(llm.Delta{Text: "one "})
	select {
	case <-time.After(speaks):
	case <-ctx.Done():
		return llm.Response{}, context.Cause(ctx)
	}
	deltas(llm.Delta{Text: "two"})
	return llm.Response{Text: "one two", Usage: core.Usage{Model: "bench", Provider: "bench", InputTokens: 100, OutputTokens: 2}}, nil
}

// firstTokens measures from the first token of the model until a client of
// /v1/chat/completions has it. Each request is a new chat; those count that
// the worker runs whose model this is.
func firstTokens(ctx context.Context, out io.Writer, name string, rounds int, base string, people []program, model *instant, must *musts) error {
	var took []time.Duration
	for i := 0; len(took) < rounds+5; i++ {
		if i > 20*(rounds+5) {
			return errors.New("that worker runs none of the turns")
		}
		model.spoke.Store(0)
		arrived, err := people[i%len(people)].firstToken(ctx, base)
		if err != nil {
			return err
		}
		if spoke := model.spoke.Load(); spoke > 0 {
			took = append(took, arrived.Sub(time.Unix(0, spoke)))
		}
	}
	took = took[5:] // warm up
	must.hold(quantile(took, 0.5) <= 20*time.Millisecond, "the first token, %s, comes %s after the model's, and must within 20 ms", name, ms(quantile(took, 0.5)))
	_, err := fmt.Fprintf(out, "\nfirst token of /v1/chat/completions after the model's, %s (%d rounds): p50 %s, p95 %s, the longest %s (must: ≤ 20 ms)\n",
		name, rounds, ms(quantile(took, 0.5)), ms(quantile(took, 0.95)), ms(quantile(took, 1)))
	return err
}

func (p program) firstToken(ctx context.Context, base string) (at time.Time, err error) {
	resp, err := p.post(ctx, base+"/v1/chat/completions", map[string]any{"model": "errand", "stream": true,
		"messages": []any{map[string]string{"role": "user", "content": speak}}})
	if err != nil {
		return at, err
	}
	defer resp.Body.Close()
	err = lines(resp, func(line string) (bool, error) {
		now := time.Now()
		if line == "[DONE]" {
			return true, nil
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(line), &chunk); err != nil {
			return false, err
		}
		if at.IsZero() && len(chunk.Choices) > 0 && chunk.Choices[0].Delta.Content != "" {
			at = now
		}
		return false, nil
	})
	if err == nil && at.IsZero() {
		err = errSilent
	}
	return at, err
}

// elsewhere measures the first token where another worker runs the turn than the one that is
// asked: two on one PostgreSQL and one Temporal.
func elsewhere(ctx context.Context, o Options, must *musts) (err error) {
	if o.Postgres == "" {
		_, err := fmt.Fprintln(o.Out, "first token where another worker runs the turn: not measured, it takes --postgres URL")
		return err
	}
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	database, drop, err := sqldb.MakeSchema(ctx, o.Postgres, "errand")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, drop(context.WithoutCancel(ctx))) }()
	ports, err := devserver.FreePorts("127.0.0.1", 3)
	if err != nil {
		return err
	}
	temporal, err := devserver.Start(ctx, devserver.Options{Dir: filepath.Join(dir, "temporal"), Port: ports[2], Key: benchKey})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, temporal.Stop(context.WithoutCancel(ctx))) }()
	restore, err := setEnv(devserver.ClientEnv(temporal.Address(), devserver.DefaultNamespace, benchKey))
	if err != nil {
		return err
	}
	defer restore()
	models, apps := make([]*instant, 2), make([]*app.App, 2)
	for i := range apps {
		env := map[string]string{"ERRAND_DATA": filepath.Join(dir, fmt.Sprint(i)), "DATABASE_URL": database, "ERRAND_LISTEN": fmt.Sprintf("127.0.0.1:%d", ports[i]), "TEMPORAL_ADDRESS": temporal.Address()}
		cfg, err := config.Load(config.Sources{Env: func(name string) string { return env[name] }, Tools: app.ToolNames()})
		if err != nil {
			return err
		}
		cfg.Limits.PerMinute, cfg.Budgets = config.Rates{}, config.Budgets{}
		app.LimitCachedWorkflows(cfg)
		models[i] = &instant{mayReport: make(chan struct{})}
		if apps[i], err = app.Start(ctx, app.Options{Config: cfg, Model: models[i], Tools: addTools}); err != nil {
			return err
		}
		defer apps[i].Stop(context.WithoutCancel(ctx))
	}
	people, err := admit(ctx, apps[0], 8)
	if err != nil {
		return err
	}
	return firstTokens(ctx, o.Out, "another worker runs the turn", o.Rounds, "http://"+apps[0].Address, people, models[1], must)
}

// setEnv sets variables of this process, where Temporal's client looks for its cluster, until
// restore is called.
func setEnv(vars []string) (restore func(), err error) {
	var undo []func() error
	restore = func() {
		for _, f := range undo {
			_ = f() // it was set before
		}
	}
	for _, v := range vars {
		name, value, _ := strings.Cut(v, "=")
		if before, ok := os.LookupEnv(name); ok {
			undo = append(undo, func() error { return os.Setenv(name, before) })
		} else {
			undo = append(undo, func() error { return os.Unsetenv(name) })
		}
		if err := os.Setenv(name, value); err != nil {
			restore()
			return nil, err
		}
	}
	return restore, nil
}
