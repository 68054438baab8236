package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/temporal/wire"
	"errand/internal/test/servicetest"
)

// suspendsAfter is for how long a session of this part is idle before it rests.
const suspendsAfter = 500 * time.Millisecond

// A storedBench is an installation with many stored sessions beside one with few.
type storedBench struct {
	Options
	few, many *app.App
	bare      *bare   // calls no model
	raw       *sql.DB // the store of many, without errand
	by        actor.Actor
}

// storedSessions measures what sessions that are kept cost those that are used.
func storedSessions(ctx context.Context, o Options, dir string) error {
	begin := time.Now()
	few, many := filepath.Join(dir, "few"), filepath.Join(dir, "many")
	if err := errors.Join(seed(ctx, few, 10), seed(ctx, many, o.Stored)); err != nil {
		return fmt.Errorf("seed sessions: %w", err)
	}
	fmt.Fprintf(o.Out, "\n%d stored sessions of %d messages each (written in %.0f s)\n", o.Stored, 2*seedTurns, time.Since(begin).Seconds())
	b := &storedBench{Options: o, by: actor.Actor{Person: app.Owner, Role: core.MasterAdmin}}
	var err error
	for _, i := range []struct {
		dir  string
		into **app.App
	}{{few, &b.few}, {many, &b.many}} {
		o.PortOffset += 100 // both run at once, to meet the same machine
		if *i.into, err = startWith(ctx, i.dir, o, &instant{}, func(s *wire.Settings) { s.SuspendAfter = suspendsAfter }); err != nil {
			return err
		}
		defer (*i.into).Stop(context.WithoutCancel(ctx))
	}
	if b.bare, err = startBare(ctx, b.many.Client, "", 1); err != nil {
		return err
	}
	defer b.bare.stop(context.WithoutCancel(ctx))
	if b.raw, err = sql.Open("sqlite", "file:"+filepath.Join(many, "data", "errand.db")+"?_pragma=query_only(1)"); err != nil {
		return err
	}
	defer b.raw.Close()
	for _, part := range []func(context.Context) error{b.turns, b.lists, b.tasks, b.searches, b.resumes, b.upkeep} {
		if err := part(ctx); err != nil {
			return err
		}
	}
	return nil
}

// turns compares plain turns, one after the other. Before each of them is the
// bare one: the server is not done with a turn when its reply is there.
func (b *storedBench) turns(ctx context.Context) error {
	var few, many, bare []time.Duration
	floor := func() error { return b.bare.send(ctx, 0, "hello") }
	for i := range b.Rounds + 20 {
		for _, m := range []struct {
			into *[]time.Duration
			run  func() error
		}{
			{&few, func() error { return send(ctx, b.few, "bench", "hello") }},
			{&bare, floor},
			{&many, func() error { return send(ctx, b.many, "bench", "hello") }},
			{&bare, floor},
		} {
			took, err := timed(m.run)
			if err != nil {
				return err
			}
			if i >= 20 { // the first ones warm up
				*m.into = append(*m.into, took)
			}
		}
	}
	fmt.Fprintf(b.Out, "%-38s %10s %10s %10s %10s %8s\n", "", "p50", "p95", "floor p50", "p95", "")
	b.line("plain turn, 10 stored sessions", few, bare, "")
	b.line(fmt.Sprintf("plain turn, %d", b.Stored), many, bare, fmt.Sprintf("%.2f of that with 10", ratio(many, few)))
	return nil
}

func (b *storedBench) lists(ctx context.Context) error {
	for _, l := range []struct {
		name   string
		filter api.ListSessionsInput
	}{
		{"list, everybody's", api.ListSessionsInput{Person: api.Person{Person: "*"}}},
		{"list, one person's", api.ListSessionsInput{}},
		{"list, by channel, agent and state", api.ListSessionsInput{Person: api.Person{Person: "*"}, Channel: "web", Agent: "nikki", State: "ended"}},
		{"list, the 1,000 after the middle", api.ListSessionsInput{Person: api.Person{Person: "*"}, Before: api.DateOrTime{Time: time.Now().Add(-30 * 24 * time.Hour)}, Limit: 1000}},
	} {
		err := b.against(ctx, l.name, func() error {
			_, err := ops.Do(ctx, b.many.Service.Runner, api.ListSessions, b.by, l.filter)
			return err
		}, `SELECT id, active FROM sessions ORDER BY active DESC LIMIT 100`)
		if err != nil {
			return err
		}
	}
	return nil
}

func (b *storedBench) searches(ctx context.Context) error {
	for _, s := range []struct{ name, text, person string }{
		{"search, a rare word", rareWord, "*"},
		{"search, a common word", commonWord, "*"},
		{"search, a common word of one person", commonWord, ""},
		{"search, a common and a rare word", commonWord + " " + rareWord, "*"},
		{"search, the beginning of a word", rareWord[:5], "*"},
		{"search, what nobody said", "nobodysaidthis", "*"},
	} {
		err := b.against(ctx, s.name, func() error {
			_, err := ops.Do(ctx, b.many.Service.Runner, api.SearchSessions, b.by, api.SearchSessionsInput{Text: s.text, Person: api.Person{Person: core.PersonID(s.person)}})
			return err
		}, `SELECT rowid, 0 FROM words WHERE words MATCH '`+commonWord+`' ORDER BY rowid DESC LIMIT 20`)
		if err != nil {
			return err
		}
	}
	return nil
}

// against measures ours beside a query of its kind that does nothing else.
func (b *storedBench) against(ctx context.Context, name string, ours func() error, query string) error {
	var took, floor []time.Duration
	for range min(b.Rounds, 50) {
		t, err := timed(ours)
		if err != nil {
			return err
		}
		took = append(took, t)
		if t, err = timed(func() error { return b.rows(ctx, query) }); err != nil {
			return err
		}
		floor = append(floor, t)
	}
	b.line(name, took, floor, "")
	return nil
}

func (b *storedBench) rows(ctx context.Context, query string) error {
	rows, err := b.raw.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var id string
		var n int64
		if err := rows.Scan(&id, &n); err != nil {
			return err
		}
	}
	return rows.Err()
}

// resumes compares the turn that wakes a session with the one after it.
func (b *storedBench) resumes(ctx context.Context) error {
	var woken, plain []time.Duration
	for range min(b.Rounds, 20) {
		if err := b.untilSuspended(ctx, "rests"); err != nil {
			return err
		}
		for _, into := range []*[]time.Duration{&woken, &plain} {
			took, err := timed(func() error { return send(ctx, b.many, "rests", "hello") })
			if err != nil {
				return err
			}
			*into = append(*into, took)
		}
	}
	b.line("turn that resumes a session", woken, plain, fmt.Sprintf("%s more than one that need not", ms(quantile(woken, 0.5)-quantile(plain, 0.5))))
	return nil
}

func (b *storedBench) untilSuspended(ctx context.Context, chat string) error {
	key := string(core.NewSessionKey(core.WebRoute(chat), app.Owner))
	for {
		desc, err := b.many.Client.DescribeWorkflowExecution(ctx, key, "")
		if err != nil {
			return send(ctx, b.many, chat, "hello") // it has not begun
		}
		if desc.GetWorkflowExecutionInfo().GetStatus() == enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// upkeep runs turns beside maintenance, and as many without it.
func (b *storedBench) upkeep(ctx context.Context) error {
	begin := time.Now()
	if err := servicetest.CleanUp(ctx, b.many.Service, b.by); err != nil {
		return err
	}
	var during, alone []time.Duration
	for {
		if err := b.turn(ctx, &during); err != nil {
			return err
		}
		runs, err := b.many.Store.Upkeeps(ctx, 1)
		if err != nil {
			return err
		}
		if len(runs) > 0 && !runs[0].Finished.IsZero() {
			fmt.Fprintf(b.Out, "maintenance over them took %.0f s: %v\n", time.Since(begin).Seconds(), runs[0].Done)
			break
		}
	}
	for range during {
		if err := b.turn(ctx, &alone); err != nil {
			return err
		}
	}
	b.line("turn during maintenance", during, alone, "")
	for _, q := range []struct {
		name string
		of   float64
	}{{"  99 of 100 of them", 0.99}, {fmt.Sprintf("  the longest of %d", len(during)), 1}} {
		fmt.Fprintf(b.Out, "%-38s %10s %10s %10s %10s %s more\n", q.name, ms(quantile(during, q.of)), "", ms(quantile(alone, q.of)), "",
			ms(quantile(during, q.of)-quantile(alone, q.of)))
	}
	return nil
}

func (b *storedBench) turn(ctx context.Context, into *[]time.Duration) error {
	took, err := timed(func() error { return send(ctx, b.many, "bench", "hello") })
	*into = append(*into, took)
	return err
}

func (b *storedBench) line(name string, ours, floor []time.Duration, more string) {
	fmt.Fprintf(b.Out, "%-38s %10s %10s %10s %10s %s\n", name, ms(quantile(ours, 0.5)), ms(quantile(ours, 0.95)),
		ms(quantile(floor, 0.5)), ms(quantile(floor, 0.95)), more)
}

func ratio(a, b []time.Duration) float64 {
	return float64(quantile(a, 0.5)) / float64(quantile(b, 0.5))
}

func timed(run func() error) (time.Duration, error) {
	begin := time.Now()
	err := run()
	return time.Since(begin), err
}

// storedAlone runs this part in a folder of its own.
func storedAlone(ctx context.Context, o Options) error {
	dir, err := os.MkdirTemp("", "errand-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return storedSessions(ctx, o, dir)
}
