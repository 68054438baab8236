package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
)

// The load is below what two cores can do with everything on them: the model takes a
// second, so that a worker waits most of the time.
const (
	scalePeople    = 20
	everyTurn      = 250 * time.Millisecond
	everyDelegated = 1500 * time.Millisecond
)

// What a connection to PostgreSQL has not run before it has to parse, and there are some
// for each worker. So both kinds of work are done beforehand, more at a time than when
// they are measured: else the first of them, and not those that follow, would be what
// more workers cost.
const (
	everyWarm = 400 * time.Millisecond
	warmFor   = 16 * time.Second
)

// A measured is one load on so many workers.
type measured struct {
	workers int
	what    string
	took    []time.Duration
	cost    cost
	idle    cost // in idleFor
	over    time.Duration
	failed  int
	merged  int // with the message before into one turn: the load is above what this machine does
	locks   *lockWatch
}

// settled is how long the last work may go on to cost something: Temporal goes through
// the timers of what has ended.
const settled = 10 * time.Second

const idleFor = 30 * time.Second

// scale measures turns and delegations with several numbers of workers, and prints a table.
func scale(ctx context.Context, o options) error {
	var rows []measured
	for _, workers := range o.counts {
		o.workers = workers
		err := withModel(ctx, o, func(ctx context.Context, s *stack) error {
			found, err := s.measure(ctx, o.each)
			rows = append(rows, found...)
			return err
		})
		if err != nil {
			return err
		}
	}
	fmt.Printf("\nThe model takes %s a call: a turn makes one, a delegation three. Milliseconds; processor time without that at rest.\n", modelTakes)
	fmt.Println("workers  what         n  failed merged    p50    p95    max | CPU of each: workers, PostgreSQL, Temporal | cores used | waits for locks")
	for _, r := range rows {
		slices.Sort(r.took)
		at := func(p float64) int64 {
			if len(r.took) == 0 {
				return 0
			}
			return r.took[min(len(r.took)-1, int(p*float64(len(r.took))))].Milliseconds()
		}
		share := r.over.Seconds() / idleFor.Seconds()
		fmt.Printf("%7d  %-10s %3d  %6d %6d %6d %6d %6d |                 %s | %10.2f | %d in %d looks\n", r.workers, r.what, len(r.took), r.failed, r.merged, at(0.5), at(0.95), at(1),
			r.cost.each(len(r.took)+r.merged, r.idle, share), r.cost.all().Seconds()/r.over.Seconds(), r.locks.waiting, r.locks.samples)
	}
	for _, r := range rows {
		if r.what == "turn" {
			fmt.Printf("%d at rest: %.1f, %.1f and %.1f %% of a core\n", r.workers, 100*r.idle.workers.Seconds()/idleFor.Seconds(),
				100*r.idle.postgres.Seconds()/idleFor.Seconds(), 100*r.idle.temporal.Seconds()/idleFor.Seconds())
		}
		for on, n := range r.locks.on {
			fmt.Printf("%d, %s: %d waits for %s\n", r.workers, r.what, n, on)
		}
	}
	for _, line := range growth(rows) {
		fmt.Println(line)
	}
	return nil
}

func growth(rows []measured) (lines []string) {
	for _, first := range rows {
		if first.workers != 1 {
			continue
		}
		last := first
		for _, r := range rows {
			if r.what == first.what && r.workers > last.workers {
				last = r
			}
		}
		if last.workers == 1 || first.median() == 0 || first.each() == 0 {
			continue
		}
		lines = append(lines, fmt.Sprintf("%s with %d workers against one: p50 %.2f, CPU of each %.2f (0.85 to 1.15; at most half of %d cores used)",
			first.what, last.workers, float64(last.median())/float64(first.median()), last.each()/first.each(), runtime.NumCPU()))
	}
	return lines
}

func (m measured) median() time.Duration {
	if len(m.took) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(m.took))[len(m.took)/2]
}

// each is the processor time of one, of all processes, without that at rest.
func (m measured) each() float64 {
	rest := m.idle.all().Seconds() * m.over.Seconds() / idleFor.Seconds()
	return (m.cost.all().Seconds() - rest) / float64(max(1, len(m.took)+m.merged))
}

func withModel(ctx context.Context, o options, f func(context.Context, *stack) error) error {
	at, err := freeNet()
	if err != nil {
		return err
	}
	at += "2:8090"
	o.env = modelEnv(at)
	model, err := serveModel(at)
	if err != nil {
		return err
	}
	defer model.Close()
	return with(ctx, o, f)
}

func (s *stack) measure(ctx context.Context, each time.Duration) ([]measured, error) {
	people, err := s.people(ctx, scalePeople)
	if err != nil {
		return nil, err
	}
	workers := len(s.replicas("errand"))
	logf("%d people are let in; %d workers", len(people), workers)
	for _, verb := range []string{"say", "delegate"} {
		if _, err := s.load(ctx, people, verb, everyWarm, warmFor); err != nil {
			return nil, err
		}
	}
	if !pause(ctx, settled) {
		return nil, ctx.Err()
	}
	before := s.spent()
	if !pause(ctx, idleFor) {
		return nil, ctx.Err()
	}
	idle := s.spent().minus(before)
	var rows []measured
	for _, l := range []struct {
		what, verb string
		every      time.Duration
	}{{"turn", "say", everyTurn}, {"delegation", "delegate", everyDelegated}} {
		r, err := s.load(ctx, people, l.verb, l.every, each)
		if err != nil {
			return nil, err
		}
		r.what, r.workers, r.idle = l.what, workers, idle
		rows = append(rows, r)
		logf("measured %d of %q", len(r.took), l.what)
	}
	return rows, nil
}

// load has one person after the other write, one each so often, whether those before
// have their replies or not, and waits for the last reply.
func (s *stack) load(ctx context.Context, people []*person, verb string, every, during time.Duration) (measured, error) {
	locks, err := s.watchLocks(ctx)
	if err != nil {
		return measured{}, err
	}
	r := measured{locks: locks}
	var mu sync.Mutex
	var group sync.WaitGroup
	start, before := time.Now(), s.spent()
	for i := 0; time.Since(start) < during; i++ {
		s.written++
		id := fmt.Sprintf("x%d", s.written)
		p := people[i%len(people)]
		group.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			asked := time.Now()
			got, err := p.write(ctx, "main", id, verb+" "+id)
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err != nil:
				r.failed++
				logf("%s %s: %v", verb, id, err)
				return
			case !strings.Contains(got.Reply.Text, "done "+id):
				// They had no reply yet when they wrote this: both were one turn.
				r.merged++
				return
			}
			r.took = append(r.took, time.Since(asked))
		})
		if !pause(ctx, every) {
			break
		}
	}
	group.Wait()
	r.over, r.cost = time.Since(start), s.spent().minus(before)
	locks.stop()
	return r, errors.Join(locks.err, ctx.Err())
}
