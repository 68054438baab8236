package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/llm/scripted"
	"errand/internal/ownerkey"
	"errand/internal/temporal/devserver"
	"errand/internal/test/sim/models"
)

// killWorker has tasks in flight in another process, kills that with SIGKILL, starts
// it again and measures until every result is told. Each task has three seconds
// of work left when the process comes back.
func killWorker(ctx context.Context, o Options, dir string) error {
	const tasks, work = 50, 3 * time.Second
	var calls atomic.Int64
	model := httptest.NewServer(models.Serve(scripted.Func(func(_ context.Context, t *scripted.Turn) scripted.Answer {
		if !strings.Contains(t.System, subAgentPrompt) {
			return scripted.Answer{Text: "done"}
		}
		calls.Add(1)
		return scripted.Answer{Text: "done", Takes: work}
	})))
	defer model.Close()
	data := filepath.Join(dir, "killed")
	env, api, err := alone(data, model.URL)
	if err != nil {
		return err
	}

	first, err := spawn(ctx, o, env, api)
	if err != nil {
		return err
	}
	for i := range tasks {
		body := fmt.Sprintf(`{"agent":"sasha","text":"errand %d","chat":"chat%d"}`, i, i%5)
		resp, err := asOwner(ctx, data, http.MethodPost, api+"/api/tasks", body)
		if err != nil {
			first.kill()
			return err
		}
		resp.Body.Close()
	}
	if err := until(ctx, func() (bool, error) { return calls.Load() >= tasks, nil }); err != nil {
		first.kill()
		return fmt.Errorf("tasks did not get into flight: %w", err)
	}
	first.kill()
	begin := time.Now()
	second, err := spawn(ctx, o, env, api)
	if err != nil {
		return err
	}
	defer second.kill()
	ready := time.Since(begin)
	err = until(ctx, func() (bool, error) {
		resp, err := asOwner(ctx, data, http.MethodGet, api+"/api/tasks?limit=1000", "")
		if err != nil {
			return false, err
		}
		defer resp.Body.Close()
		var list []core.Task
		if err := json.NewDecoder(resp.Body).Decode(&list); err != nil {
			return false, err
		}
		reported := 0
		for _, t := range list {
			if t.State == core.Completed && t.Way != core.WayUndecided && t.Delivery == core.Sent {
				reported++
			}
		}
		return reported == tasks, nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(o.Out, "\n%d tasks killed in flight (-9), %v of work left each: all told %.1f s after the restart (ready after %.1f s; bare floor: the work itself, %.1f s)\n",
		tasks, work, time.Since(begin).Seconds(), ready.Seconds(), work.Seconds())
	return nil
}

func alone(data, model string) (env []string, api string, err error) {
	ports, err := devserver.FreePorts("127.0.0.1", 2)
	if err != nil {
		return nil, "", err
	}
	env = append(ownerkey.ChildEnv(os.Environ()),
		"ERRAND_DATA="+data, fmt.Sprintf("ERRAND_LISTEN=127.0.0.1:%d", ports[0]),
		fmt.Sprintf("ERRAND_BENCH_TEMPORAL=%d", ports[1]),
		"OPENAI_BASE_URL="+model+"/v1", "OPENAI_API_KEY=none", "ERRAND_MODEL=bench", "ERRAND_CHECK_MODELS=false", "TEMPORAL_ADDRESS=", "DATABASE_URL=", "ERRAND_CONFIG=")
	return env, fmt.Sprintf("http://127.0.0.1:%d", ports[0]), nil
}

func asOwner(ctx context.Context, data, method, url, body string) (*http.Response, error) {
	key, err := ownerkey.Read(data)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err == nil && resp.StatusCode/100 != 2 {
		resp.Body.Close()
		err = fmt.Errorf("%s %s: %s", method, url, resp.Status)
	}
	return resp, err
}

// A process is a worker that is killed.
type process struct{ *exec.Cmd }

func (p process) kill() {
	if err := p.Process.Kill(); err == nil {
		// It ends by the signal, which Wait reports as an error.
		_ = p.Wait()
	}
}

// spawn starts a worker process and waits until it is ready.
func spawn(ctx context.Context, o Options, env []string, api string) (process, error) {
	p := process{exec.Command(o.Worker[0], o.Worker[1:]...)}
	p.Env = env
	p.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := p.Start(); err != nil {
		return p, err
	}
	err := until(ctx, func() (bool, error) {
		resp, err := http.Get(api + "/readyz")
		if err != nil {
			return false, nil
		}
		defer resp.Body.Close()
		return resp.StatusCode == http.StatusOK, nil
	})
	if err != nil {
		p.kill()
		return p, fmt.Errorf("start a worker process: %w", err)
	}
	return p, nil
}

// Worker is the process that is killed: errand as the environment configures it,
// on a Temporal port of its own.
func Worker(ctx context.Context) error {
	cfg, err := config.Load(config.Sources{Tools: app.ToolNames()})
	if err != nil {
		return err
	}
	cfg.Limits.PerMinute, cfg.Budgets = config.Rates{}, config.Budgets{}
	if _, err := fmt.Sscan(os.Getenv("ERRAND_BENCH_TEMPORAL"), &cfg.TemporalPort); err != nil {
		return fmt.Errorf("ERRAND_BENCH_TEMPORAL: %w", err)
	}
	cfg.UIPort = 0
	app.LimitCachedWorkflows(cfg)
	a, err := app.Start(ctx, app.Options{Config: cfg})
	if err != nil {
		return err
	}
	return a.Wait(ctx)
}

func until(ctx context.Context, done func() (bool, error)) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := done()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.New("time is up")
		case <-tick.C:
		}
	}
}
