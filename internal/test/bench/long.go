package main

import (
	"context"
	"fmt"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
)

// A mark is what a session had cost at some turn.
type mark struct {
	run           string
	events, bytes int64
}

// long compares turns 10 to 29 of a young session with the same number of turns
// around the 1,000th of an old one, in turn, so that both meet the same machine.
func (b *bench) long(ctx context.Context) error {
	const old, young, rounds = "old", "young", 20
	for turn := range b.LongTurns - rounds {
		if err := send(ctx, b.app, old, "hello"); err != nil {
			return fmt.Errorf("turn %d: %w", turn+1, err)
		}
	}
	for range 9 {
		if err := send(ctx, b.app, young, "hello"); err != nil {
			return err
		}
	}
	var early, late sample
	for range rounds {
		if err := b.measure(ctx, young, &early); err != nil {
			return err
		}
		if err := b.measure(ctx, old, &late); err != nil {
			return err
		}
	}
	fmt.Fprintf(b.Out, "\n%-34s %10s %14s %14s\n", "one long session", "p50", "events/turn", "bytes/turn")
	early.row(b, "turns 10 to 29")
	late.row(b, fmt.Sprintf("turns %d to %d", b.LongTurns-rounds+1, b.LongTurns))
	fmt.Fprintf(b.Out, "%-34s %10.2f %14.2f %14.2f\n", "  ratio", float64(quantile(late.took, 0.5))/float64(quantile(early.took, 0.5)),
		late.perTurn(late.events)/early.perTurn(early.events), late.perTurn(late.bytes)/early.perTurn(early.bytes))
	return nil
}

// measure runs one turn and adds what it took and what it left in the history.
func (b *bench) measure(ctx context.Context, chat string, s *sample) error {
	before, err := b.mark(ctx, chat)
	if err != nil {
		return err
	}
	begin := time.Now()
	if err := send(ctx, b.app, chat, "hello"); err != nil {
		return err
	}
	s.took = append(s.took, time.Since(begin))
	after, err := b.mark(ctx, chat)
	if err != nil {
		return err
	}
	if before.run == after.run { // a new run begins with an empty history
		s.events, s.bytes, s.n = s.events+after.events-before.events, s.bytes+after.bytes-before.bytes, s.n+1
	}
	return nil
}

type sample struct {
	took          []time.Duration
	events, bytes int64
	n             int
}

func (s *sample) perTurn(v int64) float64 { return float64(v) / float64(max(s.n, 1)) }

func (s *sample) row(b *bench, name string) {
	fmt.Fprintf(b.Out, "%-34s %10s %14.1f %14.0f\n", name, ms(quantile(s.took, 0.5)), s.perTurn(s.events), s.perTurn(s.bytes))
}

func (b *bench) mark(ctx context.Context, chat string) (mark, error) {
	key := core.NewSessionKey(core.WebRoute(chat), app.Owner)
	// The reply is there before the workflow task that notices it: what is
	// counted is what has come to rest.
	var last mark
	for range 50 {
		desc, err := b.app.Client.DescribeWorkflowExecution(ctx, string(key), "")
		if err != nil {
			return mark{}, err
		}
		info := desc.GetWorkflowExecutionInfo()
		now := mark{info.GetExecution().GetRunId(), info.GetHistoryLength(), info.GetHistorySizeBytes()}
		if now == last && desc.GetPendingWorkflowTask() == nil && len(desc.GetPendingActivities()) == 0 {
			return now, nil
		}
		last = now
		time.Sleep(5 * time.Millisecond)
	}
	return last, nil
}

// many has a thousand tasks in flight at once.
func (b *bench) many(ctx context.Context) error {
	begin := time.Now()
	for i := range b.Tasks {
		by := actor.Actor{Person: app.Owner, Role: core.MasterAdmin, Counted: true}
		_, err := ops.Do(ctx, b.app.Service.Runner, api.CreateTask, by, api.CreateTaskInput{
			Route: core.WebRoute(fmt.Sprintf("many%d", i%50)), Body: api.NewTask{Agents: []core.AgentName{"sasha"}, Text: wait},
		})
		if err != nil {
			return err
		}
	}
	sent := time.Since(begin)
	most, err := b.openTasks(ctx)
	if err != nil {
		return err
	}
	close(b.mayReport)
	var done, failed int
	for {
		// One is enough to look for: to count ten thousand five times a second would
		// be a good part of what is measured.
		open, err := b.app.Store.Tasks(ctx, store.TaskFilter{States: core.OpenStates(), Limit: 1})
		if err != nil {
			return err
		}
		if len(open) == 0 {
			break
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(200 * time.Millisecond):
		}
	}
	list, err := b.app.Store.Tasks(ctx, store.TaskFilter{Limit: b.Tasks + 100})
	if err != nil {
		return err
	}
	for _, t := range list {
		if t.Text != wait {
			continue
		}
		if t.State == core.Completed {
			done++
		} else {
			failed++
		}
	}
	fmt.Fprintf(b.Out, "\n%d tasks at once: %d in flight, %d completed, %d failed, in %.1f s (sent in %.1f s)\n",
		b.Tasks, most, done, failed, time.Since(begin).Seconds(), sent.Seconds())
	return nil
}

func (b *bench) openTasks(ctx context.Context) (n int, err error) {
	for _, err := range b.app.Store.OpenTasks(ctx) {
		if err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
