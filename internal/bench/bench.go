// Package bench measures errand against workflows of the same shape that do nothing,
// on the same Temporal server, in the same run.
package bench

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"errand"
	"errand/internal/app"
	"errand/internal/config"
	"errand/workflows"
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
	Channel    string // a platform: nothing is measured but an account on it
	Postgres   string // with Channel: a database where a schema may be made, to measure a takeover
	PortOffset int
	Worker     []string      // the command that runs [Worker] in another process
	Rest       time.Duration // how long the process is watched at rest; default 20 s
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
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	gate := make(chan struct{})
	model := &instant{gate: gate}
	a, err := start(ctx, dir, o, model)
	if err != nil {
		return err
	}
	defer a.Stop(context.WithoutCancel(ctx))
	if err := rest(ctx, o, "at rest, fresh"); err != nil {
		return err
	}
	bare, stop, err := startBare(ctx, a.Client, o.Sessions)
	if err != nil {
		return err
	}
	b := &bench{Options: o, app: a, bare: bare, gate: gate, model: model}
	fmt.Fprintf(o.Out, "embedded Temporal on SQLite, model with zero latency, %d rounds\n\n", o.Rounds)
	fmt.Fprintf(o.Out, "%-34s %10s %10s %10s %10s %8s\n", "", "ours p50", "p95", "bare p50", "p95", "ratio")
	err = b.compare(ctx)
	stop()
	if err != nil {
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
	if len(o.Worker) == 0 {
		return nil
	}
	return killed(ctx, o, dir)
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
	if o.Rest == 0 {
		o.Rest = 20 * time.Second
	}
	return o
}

func start(ctx context.Context, dir string, o Options, model *instant) (*app.App, error) {
	return startWith(ctx, dir, o, model, nil)
}

func startWith(ctx context.Context, dir string, o Options, model *instant, settings func(*workflows.Settings), accounts ...config.Channel) (*app.App, error) {
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
	// What is measured is errand, not its limits.
	cfg.Limits.PerMinute = config.Rates{}
	cfg.Budgets = config.Budgets{}
	cfg.Channels = accounts
	for _, c := range accounts {
		cfg.Access[c.Kind] = config.Access{Mode: config.AccessOpen, Role: errand.Member}
	}
	return app.Start(ctx, app.Options{Config: cfg, Model: model, Settings: settings})
}

type bench struct {
	Options
	app   *app.App
	bare  func(ctx context.Context, i int, update string) error
	model *instant
	gate  chan struct{} // closed: the sub-agents may report
}

// compare interleaves ours and bare round by round, so that both meet the same
// machine.
func (b *bench) compare(ctx context.Context) error {
	shapes := []struct{ name, text, update string }{
		{"plain turn", "hello", "turn"},
		{"synchronous delegation", "ask night trains", "delegation"},
	}
	for _, s := range shapes {
		for i := range 20 { // warm up
			if err := b.pair(ctx, i%b.Sessions, s.text, s.update, nil, nil); err != nil {
				return err
			}
		}
		var ours, bare []time.Duration
		for range b.Rounds {
			if err := b.pair(ctx, 0, s.text, s.update, &ours, &bare); err != nil {
				return err
			}
		}
		b.row(s.name+", 1 session", ours, bare)
	}
	for _, s := range shapes {
		ours, oursRate, err := b.atOnce(ctx, func(ctx context.Context, i int) error { return send(ctx, b.app, chat(i), s.text) })
		if err != nil {
			return err
		}
		bare, bareRate, err := b.atOnce(ctx, func(ctx context.Context, i int) error { return b.bare(ctx, i, s.update) })
		if err != nil {
			return err
		}
		b.row(fmt.Sprintf("%s, %d sessions", s.name, b.Sessions), ours, bare)
		fmt.Fprintf(b.Out, "%-34s %8.0f/s %10s %8.0f/s %10s %8.2f\n", "  throughput", oursRate, "", bareRate, "", oursRate/bareRate)
	}
	return nil
}

func chat(i int) string { return fmt.Sprintf("bench%d", i) }

func (b *bench) pair(ctx context.Context, i int, text, update string, ours, bare *[]time.Duration) error {
	begin := time.Now()
	if err := send(ctx, b.app, chat(i), text); err != nil {
		return err
	}
	mid := time.Now()
	if err := b.bare(ctx, i, update); err != nil {
		return err
	}
	if ours != nil {
		*ours = append(*ours, mid.Sub(begin))
		*bare = append(*bare, time.Since(mid))
	}
	return nil
}

// atOnce runs rounds in every session at once and returns the durations and the
// rate over all.
func (b *bench) atOnce(ctx context.Context, one func(context.Context, int) error) ([]time.Duration, float64, error) {
	rounds := max(b.Rounds/b.Sessions, 5) * 2
	var mu sync.Mutex
	var took []time.Duration
	var failed error
	var wg sync.WaitGroup
	begin := time.Now()
	for i := range b.Sessions {
		wg.Go(func() {
			for range rounds {
				t := time.Now()
				err := one(ctx, i)
				mu.Lock()
				took = append(took, time.Since(t))
				if err != nil && failed == nil {
					failed = err
				}
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return took, float64(len(took)) / time.Since(begin).Seconds(), failed
}

func (b *bench) row(name string, ours, bare []time.Duration) {
	fmt.Fprintf(b.Out, "%-34s %10s %10s %10s %10s %8.2f\n", name,
		ms(quantile(ours, 0.5)), ms(quantile(ours, 0.95)), ms(quantile(bare, 0.5)), ms(quantile(bare, 0.95)),
		float64(quantile(ours, 0.5))/float64(quantile(bare, 0.5)))
}

func quantile(d []time.Duration, q float64) time.Duration {
	if len(d) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(d))
	return s[min(len(s)-1, int(math.Ceil(q*float64(len(s))))-1)]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond)) }
