package main

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
)

// measureWaiting watches what questions cost that nobody answers yet: memory, and history of the
// workflows that wait. Then it answers all of them.
func (t *teams) measureWaiting(ctx context.Context) error {
	const wave, waves, watched = 200, 5, 15 * time.Second
	fmt.Fprintf(t.Out, "\n%-30s %18s %14s %14s\n", "questions that wait", "heap, after a GC", "goroutines", "resident")
	var first, last memory
	for n := 0; n <= wave*waves; n += wave {
		if err := t.ask(ctx, n); err != nil {
			return err
		}
		m, err := t.atRest(ctx)
		if err != nil {
			return err
		}
		fmt.Fprintf(t.Out, "%-30d %15.1f MB %14d %11d MB\n", n, float64(m.live)/(1<<20), m.goroutines, m.resident>>20)
		if n == 2*wave {
			first = m
		}
		last = m
	}
	const beyond = wave * (waves - 2)
	fmt.Fprintf(t.Out, "%-30s %15.1f kB %14.2f %11.1f kB\n", "  each, beyond the first 400", float64(int64(last.live)-int64(first.live))/beyond/1024,
		float64(last.goroutines-first.goroutines)/beyond, float64(last.resident-first.resident)/beyond/1024)
	before, workflows, err := t.events(ctx)
	if err != nil {
		return err
	}
	select {
	case <-time.After(watched):
	case <-ctx.Done():
		return ctx.Err()
	}
	after, _, err := t.events(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.Out, "history of the %d workflows that wait: %d events, %d %v later\n", workflows, before, after, watched)
	return t.answerAll(ctx)
}

func (t *teams) ask(ctx context.Context, n int) error {
	open, err := t.openQuestions(ctx)
	if err != nil {
		return err
	}
	for i := len(open); i < n; i++ {
		if _, err := ops.Do(ctx, t.app.Service.Runner, api.CreateTask, t.by, api.CreateTaskInput{
			Route: core.WebRoute(chat(i % 50)), Body: api.NewTask{Agents: []core.AgentName{"sasha"}, Text: whichDay}}); err != nil {
			return err
		}
	}
	return until(ctx, func() (bool, error) {
		open, err := t.openQuestions(ctx)
		return len(open) == n, err
	})
}

func (t *teams) openQuestions(ctx context.Context) ([]core.Question, error) {
	return t.app.Store.Questions(ctx, store.QuestionFilter{Open: true, Limit: 10_000})
}

// atRest reads the memory of the process when it does nothing, and has given back what it
// does not use.
func (t *teams) atRest(ctx context.Context) (memory, error) {
	select {
	case <-time.After(5 * time.Second):
	case <-ctx.Done():
		return memory{}, ctx.Err()
	}
	if err := settle(ctx); err != nil {
		return memory{}, err
	}
	debug.FreeOSMemory()
	debug.FreeOSMemory() // pools are emptied by the second
	return readMemory()
}

// events counts those of all workflows that questions wait in: the sub-agents', and their
// delegations'.
func (t *teams) events(ctx context.Context) (events int64, workflows int, err error) {
	open, err := t.openQuestions(ctx)
	if err != nil {
		return 0, 0, err
	}
	for _, q := range open {
		for _, id := range []string{string(q.Task), string(core.SubAgentOwner(q.Task, "sasha"))} {
			desc, err := t.app.Client.DescribeWorkflowExecution(ctx, id, "")
			if err != nil {
				return 0, 0, err
			}
			events += desc.GetWorkflowExecutionInfo().GetHistoryLength()
			workflows++
		}
	}
	return events, workflows, nil
}

// answerAll answers all questions, and waits until their tasks have ended.
func (t *teams) answerAll(ctx context.Context) error {
	open, err := t.openQuestions(ctx)
	if err != nil {
		return err
	}
	begin := time.Now()
	for _, q := range open {
		if _, err := ops.Do(ctx, t.app.Service.Runner, api.AnswerQuestion, t.by, api.AnswerQuestionInput{
			QuestionID: api.QuestionID{ID: string(q.ID)}, Body: api.QuestionAnswer{Text: "Monday"}, Route: q.Route}); err != nil {
			return err
		}
	}
	if err := until(ctx, func() (bool, error) {
		open, err := t.app.Store.Tasks(ctx, store.TaskFilter{States: core.OpenStates(), Limit: 1})
		return len(open) == 0, err
	}); err != nil {
		return fmt.Errorf("not all tasks went on: %w", err)
	}
	completed, err := t.app.Store.Tasks(ctx, store.TaskFilter{States: []core.TaskState{core.Completed}, Limit: 100_000})
	if err != nil {
		return err
	}
	n := 0
	for _, task := range completed {
		if task.Text == whichDay {
			n++
		}
	}
	fmt.Fprintf(t.Out, "all answered: %d of %d tasks completed, after %.1f s\n", n, len(open), time.Since(begin).Seconds())
	if n != len(open) {
		return errors.New("not every question that waited was gone on from")
	}
	return nil
}
