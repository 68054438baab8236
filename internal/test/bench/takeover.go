package main

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"errand/internal/config"
	"errand/internal/store"
	"errand/internal/store/sqldb"
	"errand/internal/temporal/devserver"
)

const takeovers = 3

// takeover has two workers on one database and one Temporal. It kills the one that
// holds the account with SIGKILL, and measures until the other has answered what
// was written meanwhile.
func takeover(ctx context.Context, o Options) (err error) {
	if o.Postgres == "" || len(o.Worker) == 0 {
		fmt.Fprintln(o.Out, "\na takeover takes two workers on one database, and was not measured: --postgres URL")
		return nil
	}
	two, err := newTwo(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, two.close()) }()
	var took []time.Duration
	for n := range takeovers {
		if err := two.answered(ctx, 2*n+1); err != nil {
			return err
		}
		owner, err := two.owner(ctx)
		if err != nil {
			return err
		}
		two.workers[owner].kill()
		d, err := timed(func() error { return two.answered(ctx, 2*n+2) })
		if err != nil {
			return fmt.Errorf("nobody took over: %w", err)
		}
		took = append(took, d)
		if err := two.start(ctx, owner); err != nil {
			return err
		}
	}
	slices.Sort(took)
	fmt.Fprintf(o.Out, "\nthe worker that holds the account killed (-9), %d times: the other has answered after %.1f s, at most %.1f s (a lease lasts 10 s)\n",
		takeovers, took[takeovers/2].Seconds(), took[takeovers-1].Seconds())
	return nil
}

// A two is two workers that could both hold an account.
type two struct {
	platformWire
	o       Options
	dir     string
	env     []string
	ports   []int
	workers []process
	store   *store.Store
	undo    []func() error
}

func newTwo(ctx context.Context, o Options) (_ *two, err error) {
	t := &two{o: o}
	defer func() {
		if err != nil {
			err = errors.Join(err, t.close())
		}
	}()
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return nil, err
	}
	t.dir, t.undo = dir, append(t.undo, func() error { return os.RemoveAll(dir) })
	database, drop, err := sqldb.MakeSchema(ctx, o.Postgres, "errand")
	if err != nil {
		return nil, err
	}
	t.undo = append(t.undo, func() error { return drop(context.WithoutCancel(ctx)) })
	if t.store, err = store.Open(ctx, store.Options{PostgreSQL: database}); err != nil {
		return nil, err
	}
	t.undo = append(t.undo, t.store.Close)
	if t.platformWire, err = newWire(o.Channel); err != nil {
		return nil, err
	}
	t.undo = append(t.undo, func() error { t.platformWire.close(); return nil })
	if t.ports, err = devserver.FreePorts("127.0.0.1", 3); err != nil {
		return nil, err
	}
	temporal, err := devserver.Start(ctx, devserver.Options{Dir: filepath.Join(dir, "temporal"), Port: t.ports[2], Key: benchKey})
	if err != nil {
		return nil, err
	}
	t.undo = append(t.undo, func() error { return temporal.Stop(context.WithoutCancel(ctx)) })
	model := httptest.NewServer(serveDone())
	t.undo = append(t.undo, func() error { model.Close(); return nil })
	file := filepath.Join(dir, "errand.yaml")
	if err := os.WriteFile(file, []byte(yaml(t.account())), 0o600); err != nil {
		return nil, err
	}
	t.env = slices.Concat(os.Environ(), devserver.ClientEnv(temporal.Address(), devserver.DefaultNamespace, benchKey))
	t.env = append(t.env, "ERRAND_CONFIG="+file, "DATABASE_URL="+database, "BENCH_TOKEN="+t.account().Token.Reveal(),
		fmt.Sprintf("ERRAND_BENCH_TEMPORAL=%d", t.ports[2]),
		"OPENAI_BASE_URL="+model.URL+"/v1", "OPENAI_API_KEY=none", "ERRAND_MODEL=bench", "ERRAND_CHECK_MODELS=false")
	t.workers = make([]process, 2)
	for i := range t.workers {
		if err := t.start(ctx, i); err != nil {
			return nil, err
		}
	}
	if err := link(ctx, t.platformWire, t.store); err != nil {
		return nil, err
	}
	return t, t.join(ctx, 1)
}

const benchKey = "bench"

func yaml(c config.Channel) string {
	token := ", token_env: BENCH_TOKEN"
	if c.Token == "" {
		token = ""
	}
	return fmt.Sprintf("channels:\n  %s: [{account: %s%s, access: open, role: member, url: %q}]\n", c.Kind, c.Account, token, c.URL)
}

func (t *two) start(ctx context.Context, i int) (err error) {
	at := fmt.Sprintf("127.0.0.1:%d", t.ports[i])
	t.workers[i], err = spawn(ctx, t.o, slices.Concat(t.env, []string{"ERRAND_LISTEN=" + at, "ERRAND_DATA=" + filepath.Join(t.dir, strconv.Itoa(i))}), "http://"+at)
	return err
}

func (t *two) close() (err error) {
	for _, p := range t.workers {
		if p.Cmd != nil && p.Process != nil {
			p.kill()
		}
	}
	for _, undo := range slices.Backward(t.undo) {
		err = errors.Join(err, undo())
	}
	return err
}

// answered writes, and waits until the person has read so many answers.
func (t *two) answered(ctx context.Context, want int) error {
	if err := t.write(ctx, 0, "hello"); err != nil {
		return err
	}
	return seen(ctx, t.platformWire, func() bool { return len(t.sentTo(0)) >= want })
}

func (t *two) owner(ctx context.Context) (int, error) {
	list, err := t.store.Connections(ctx)
	if err != nil {
		return 0, err
	}
	for i, p := range t.workers {
		if len(list) == 1 && strings.Contains(list[0].Owner, fmt.Sprintf(":%d:", p.Process.Pid)) {
			return i, nil
		}
	}
	return 0, errors.New("neither worker holds the connection")
}
