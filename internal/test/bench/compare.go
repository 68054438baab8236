package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/store"
)

const block = 10

// compare alternates errand and the bare program in blocks, so that both meet the same
// machine. Between blocks the process comes to rest: what a turn leaves to do after its
// reply is in nobody else's time, and in its own processor time.
func (b *bench) compare(ctx context.Context) error {
	floor, end, err := b.overHTTP(ctx)
	if err != nil {
		return err
	}
	defer end()
	shapes := []shape{{"plain turn", "hello"}, {"synchronous delegation", "ask night trains"}}
	if err := b.warmUp(ctx, floor, shapes); err != nil {
		return err
	}
	fmt.Fprintf(b.Out, "embedded Temporal on SQLite, scripted model over HTTP without latency; CPU of the process, user and system\n\n")
	if err := b.alternate(ctx, floor, shapes); err != nil {
		return err
	}
	return b.events(ctx, floor, shapes)
}

// overHTTP starts the bare program and has both call the same model over HTTP, until end.
func (b *bench) overHTTP(ctx context.Context) (floor *bare, end func(), err error) {
	address, stop, err := startScripted(b.Options)
	if err != nil {
		return nil, nil, err
	}
	over, err := overHTTP(address)
	if err == nil {
		floor, err = startBare(ctx, b.app.Client, address, b.Sessions)
	}
	if err != nil {
		stop()
		return nil, nil, err
	}
	b.model.over.Store(over)
	return floor, func() {
		floor.stop(context.WithoutCancel(ctx))
		b.model.over.Store(nil)
		stop()
	}, nil
}

func (b *bench) ours(ctx context.Context, session int, text string) error {
	return send(ctx, b.app, chat(session), text)
}

func (b *bench) warmUp(ctx context.Context, floor *bare, shapes []shape) error {
	for _, s := range shapes {
		for i := range 2 * b.Sessions {
			if err := b.ours(ctx, i%b.Sessions, s.text); err != nil {
				return err
			}
			if err := floor.send(ctx, i%b.Sessions, s.text); err != nil {
				return err
			}
		}
	}
	return nil
}

// alternate measures each shape in one session, and in several at once.
func (b *bench) alternate(ctx context.Context, floor *bare, shapes []shape) error {
	fmt.Fprintf(b.Out, "%-42s %28s   %28s   %14s\n", "", "errand: p50, p95, CPU", "bare: p50, p95, CPU", "ratio: p50, CPU")
	for _, sessions := range []int{1, b.Sessions} {
		for _, s := range shapes {
			var e, f cost
			for range max(1, b.Rounds/block) {
				if err := e.add(ctx, sessions, s.text, b.ours); err != nil {
					return err
				}
				if err := f.add(ctx, sessions, s.text, floor.send); err != nil {
					return err
				}
			}
			row(b.Out, fmt.Sprintf("%s, sessions: %d", s.name, sessions), e, f)
		}
	}
	return nil
}

type shape struct{ name, text string }

// A cost is what turns took.
type cost struct {
	took []time.Duration
	cpu  time.Duration // of the process, until it was at rest again
	wall time.Duration // until the last reply
}

// add has a block of turns, in one session or in several at once.
func (c *cost) add(ctx context.Context, sessions int, text string, send func(context.Context, int, string) error) error {
	if err := settle(ctx); err != nil {
		return err
	}
	turns := block
	if sessions > 1 {
		turns = 2
	}
	before, err := processorTime()
	if err != nil {
		return err
	}
	begin := time.Now()
	var mu sync.Mutex
	var failed error
	var all sync.WaitGroup
	for i := range sessions {
		all.Go(func() {
			for range turns {
				t := time.Now()
				err := send(ctx, i, text)
				mu.Lock()
				c.took = append(c.took, time.Since(t))
				if err != nil && failed == nil {
					failed = err
				}
				mu.Unlock()
			}
		})
	}
	all.Wait()
	c.wall += time.Since(begin)
	if failed != nil {
		return failed
	}
	if err := settle(ctx); err != nil {
		return err
	}
	after, err := processorTime()
	c.cpu += after - before
	return err
}

// one measures something that is over when it returns.
func (c *cost) one(do func() error) error {
	before, err := processorTime()
	if err != nil {
		return err
	}
	began := time.Now()
	if err := do(); err != nil {
		return err
	}
	c.took = append(c.took, time.Since(began))
	after, err := processorTime()
	c.cpu += after - before
	return err
}

func (c *cost) perTurn() time.Duration { return c.cpu / time.Duration(max(1, len(c.took))) }

func row(out io.Writer, name string, ours, bare cost) {
	line := func(c cost) string {
		return fmt.Sprintf("%8s %9s %9s", ms(quantile(c.took, 0.5)), ms(quantile(c.took, 0.95)), ms(c.perTurn()))
	}
	fmt.Fprintf(out, "%-42s %28s   %28s   %7.2f %6.2f\n", name, line(ours), line(bare),
		float64(quantile(ours.took, 0.5))/float64(quantile(bare.took, 0.5)), float64(ours.perTurn())/float64(bare.perTurn()))
	rate := func(c cost) float64 { return float64(len(c.took)) / c.wall.Seconds() }
	if len(ours.took) > 0 && len(bare.took) > 0 {
		fmt.Fprintf(out, "%-42s %26.0f/s   %26.0f/s   %7.2f\n", "  throughput", rate(ours), rate(bare), rate(ours)/rate(bare))
	}
}

// settle waits until this process does next to nothing, two seconds at most.
func settle(ctx context.Context) error {
	const look = 30 * time.Millisecond
	for range 2 * time.Second / look {
		before, err := processorTime()
		if err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(look):
		}
		if after, err := processorTime(); err != nil || after-before < time.Millisecond {
			return err
		}
	}
	return nil
}

func processorTime() (time.Duration, error) {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0, os.NewSyscallError("getrusage", err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()), nil
}

func (b *bench) events(ctx context.Context, floor *bare, shapes []shape) error {
	fmt.Fprintf(b.Out, "\n%-42s %10s %10s\n", "events in Temporal's histories", "errand", "bare")
	for i, s := range shapes {
		before, err := b.history(ctx, string(sessionKey(chat(0))))
		if err != nil {
			return err
		}
		if err := send(ctx, b.app, chat(0), s.text); err != nil {
			return err
		}
		ours, err := b.history(ctx, string(sessionKey(chat(0))))
		if err != nil {
			return err
		}
		bareBefore, err := b.history(ctx, bareID(0))
		if err != nil {
			return err
		}
		if err := floor.send(ctx, 0, s.text); err != nil {
			return err
		}
		theirs, err := b.history(ctx, bareID(0))
		if err != nil {
			return err
		}
		ours, theirs = ours-before, theirs-bareBefore
		if i > 0 { // one that delegates
			list, err := b.app.Store.Tasks(ctx, store.TaskFilter{Limit: 1})
			if err != nil {
				return err
			}
			if len(list) == 0 {
				return errors.New("nothing was delegated")
			}
			id := string(list[0].ID)
			// A later look may find a child of another turn: each is alike.
			for _, w := range []string{id, id + "/sasha"} {
				n, err := b.history(ctx, w)
				if err != nil {
					return err
				}
				ours += n
			}
			for _, w := range []string{bareID(0) + "/1", bareID(0) + "/1/sub"} {
				n, err := b.history(ctx, w)
				if err != nil {
					return err
				}
				theirs += n
			}
		}
		fmt.Fprintf(b.Out, "%-42s %10d %10d\n", s.name, ours, theirs)
	}
	return nil
}

func sessionKey(chat string) core.SessionKey {
	return core.NewSessionKey(core.WebRoute(chat), app.Owner)
}

// history is how long the history of a workflow is, once the process is at rest.
func (b *bench) history(ctx context.Context, id string) (int64, error) {
	if err := settle(ctx); err != nil {
		return 0, err
	}
	desc, err := b.app.Client.DescribeWorkflowExecution(ctx, id, "")
	if err != nil {
		return 0, err
	}
	return desc.GetWorkflowExecutionInfo().GetHistoryLength(), nil
}
