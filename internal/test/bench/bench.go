package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"

	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// Options say how much is measured.
type Options struct {
	Out        io.Writer
	Rounds     int    // of each measurement; default 200
	Sessions   int    // at once; default 20
	LongTurns  int    // of the long session; default 1010
	Tasks      int    // in flight at once; default 1000
	Stored     int    // sessions that are kept, while others are used; default 100,000; below 0: that part is left out
	OnlyStored bool   // measure nothing but that
	OnlyTurns  bool   // measure nothing but turns and delegations against the bare program's
	OnlyTools  bool   // measure nothing but tools and prompts
	OnlyMemory bool   // measure nothing but memory at rest
	OnlyTeams  bool   // measure nothing but several agents at once, and questions that wait
	OnlyDoors  bool   // measure nothing but programs: handles, a thousand that wait, first tokens
	OnlyPages  bool   // measure nothing but the pages
	OnlyStarts bool   // measure nothing but starts
	Browser    string // path of a Chromium in which pages are measured; empty: they are not
	Strict     bool   // with OnlyDoors or OnlyPages: what is not what it must be is an error, once all is measured
	// Conversations are open when a start is measured; default 20,000.
	Conversations int
	Waiting       int    // tasks that wait for an answer over a restart; default 1000
	Channel       string // a platform: nothing is measured but an account on it
	Postgres      string // with Channel or OnlyDoors: a database where a schema may be made, to measure two workers
	PortOffset    int
	Worker        []string      // the command that runs [Worker] in another process
	Model         []string      // the command that runs [Scripted] in another process
	Clients       []string      // the command that runs [Clients] in another process
	Rest          time.Duration // how long the process is watched at rest; default 20 s
}

// Run measures and prints.
func Run(ctx context.Context, o Options) error {
	o = o.withDefaults()
	if o.Channel != "" {
		if err := platform(ctx, o); err != nil {
			return err
		}
		return takeover(ctx, o)
	}
	if o.OnlyStored {
		return storedAlone(ctx, o)
	}
	if o.OnlyTeams {
		return teamsAlone(ctx, o)
	}
	if o.OnlyDoors {
		return doorsAlone(ctx, o)
	}
	if o.OnlyPages {
		return pagesAlone(ctx, o)
	}
	if o.OnlyStarts {
		return startsAlone(ctx, o)
	}
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	gate := make(chan struct{})
	model := &instant{mayReport: gate}
	a, err := start(ctx, dir, o, model)
	if err != nil {
		return err
	}
	defer a.Stop(context.WithoutCancel(ctx))
	b := &bench{Options: o, app: a, mayReport: gate, model: model}
	if o.OnlyMemory {
		return b.memory(ctx)
	}
	if !o.OnlyTurns && !o.OnlyTools {
		if err := rest(ctx, o, "at rest, fresh"); err != nil {
			return err
		}
	}
	if !o.OnlyTools {
		if err := b.compare(ctx); err != nil || o.OnlyTurns {
			return err
		}
	}
	if err := b.tools(ctx); err != nil || o.OnlyTools {
		return err
	}
	if err := b.crowd(ctx); err != nil {
		return err
	}
	if err := b.sticky(ctx); err != nil {
		return err
	}
	if err := b.long(ctx); err != nil {
		return err
	}
	if err := b.many(ctx); err != nil {
		return err
	}
	if err := rest(ctx, o, "at rest, after all that"); err != nil {
		return err
	}
	if o.Stored > 0 {
		if err := storedAlone(ctx, o); err != nil {
			return err
		}
	}
	if err := teamsAlone(ctx, o); err != nil {
		return err
	}
	if err := doorsAlone(ctx, o); err != nil {
		return err
	}
	if err := pagesAlone(ctx, o); err != nil || len(o.Worker) == 0 {
		return err
	}
	if err := killWorker(ctx, o, dir); err != nil {
		return err
	}
	return startsAlone(ctx, o)
}

func (o Options) withDefaults() Options {
	set := func(n *int, def int) {
		if *n == 0 {
			*n = def
		}
	}
	set(&o.Rounds, 200)
	set(&o.Sessions, 20)
	set(&o.LongTurns, 1010)
	set(&o.Tasks, 1000)
	set(&o.Stored, 100_000)
	set(&o.Waiting, 1000)
	set(&o.Conversations, 20_000)
	if o.Rest == 0 {
		o.Rest = 20 * time.Second
	}
	return o
}

func start(ctx context.Context, dir string, o Options, model *instant) (*app.App, error) {
	return startWith(ctx, dir, o, model, nil)
}

func startWith(ctx context.Context, dir string, o Options, model *instant, settings func(*wire.Settings), accounts ...config.Channel) (*app.App, error) {
	cfg, err := configured(dir, o)
	if err != nil {
		return nil, err
	}
	cfg.Channels = accounts
	for _, c := range accounts {
		cfg.Access[c.Kind] = config.Access{Mode: config.AccessOpen, Role: core.Member}
	}
	app.LimitCachedWorkflows(cfg)
	return app.Start(ctx, app.Options{Config: cfg, Model: model, Settings: settings, Tools: addTools})
}

// configured is how errand is configured here. What is measured is errand, not its limits.
func configured(dir string, o Options) (*config.Config, error) {
	cfg, err := config.Load(config.Sources{
		Env: func(name string) string {
			if name == "ERRAND_DATA" {
				return filepath.Join(dir, "data")
			}
			return ""
		},
		Tools: app.ToolNames(), Flags: config.Flags{PortOffset: 4000 + o.PortOffset},
	})
	if err != nil {
		return nil, err
	}
	cfg.Limits.PerMinute = config.Rates{}
	cfg.Limits.OpenTasks = 0
	cfg.Budgets = config.Budgets{}
	cfg.Delegation.PairPerHour = 0
	return cfg, nil
}

type bench struct {
	Options
	app       *app.App
	model     *instant
	mayReport chan struct{} // closed: the sub-agents may report
}

func chat(i int) string { return fmt.Sprintf("bench%d", i) }

func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(d))
	return s[min(len(s)-1, int(math.Ceil(q*float64(len(s))))-1)]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }
