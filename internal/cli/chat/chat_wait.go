package chat

import (
	"context"
	"errors"
	"strconv"
	"time"

	"errand"
	"errand/internal/cli/client"
	"errand/internal/cli/words"
)

// openTasks are the tasks that a message has begun and whose results are not told.
type openTasks struct {
	tasks  map[errand.TaskID]bool
	failed int
}

func (w *openTasks) note(e client.Event) {
	if e.Type == errand.EventTask && e.State == errand.Submitted {
		w.tasks[e.Task] = true
	}
}

// settle asks the worker about the tasks and drops those that are told. Tasks that
// tasks have begun are told to those.
func (w *openTasks) settle(ctx context.Context, c *client.Worker) error {
	for id := range w.tasks {
		task, err := c.API().GetTask(ctx, string(id), nil)
		if err != nil {
			if client.Retryable(err) {
				return nil // it is asked again
			}
			return err
		}
		switch t := task.Value.Task; {
		case t.Parent != "":
		case !isDelivered(t):
			continue
		case t.State != errand.Completed:
			w.failed++
		}
		delete(w.tasks, id)
	}
	return nil
}

// isDelivered reports whether the outcome of a task has reached whoever asked for it.
func isDelivered(t errand.Task) bool {
	switch t.Way {
	case errand.WayUndecided:
		return false
	case errand.WayFold, errand.WayNotification:
		return t.Delivery != ""
	}
	return t.State.Terminal()
}

// settleEvery is how often it is looked for tasks whose telling was not seen. It is a
// net below the events, each of which is looked at when it comes.
const settleEvery = 30 * time.Second

// wait prints what happens in the chat until all of w is told.
func (t *Chat) await(ctx context.Context, w *openTasks, p *Printer) error {
	if err := w.settle(ctx, t.Worker); err != nil || len(w.tasks) == 0 {
		return errors.Join(err, w.outcome(t.Words))
	}
	events := make(chan client.Event)
	following, stop := context.WithCancel(ctx)
	defer stop()
	followed := make(chan error, 1)
	go func() {
		followed <- t.Follow(following, p.last, func(e client.Event) bool { return pass(following, events, e) })
	}()
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	defer p.End()
	for {
		look := false
		select {
		case e := <-events:
			// Without an id to go on from, the log begins with what is long over.
			if p.last != "" || e.Created.IsZero() || !e.Created.Before(t.Began) {
				p.Print(e)
			}
			look = e.SSE != ""
		case <-tick.C:
			look = true
		case err := <-followed:
			if ctx.Err() == nil {
				return err
			}
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			p.End()
			return failed(t.Words.Say("not waiting any more; {n} task(s) go on, and their results will be in the chat: errand chat --chat {chat}", "n", strconv.Itoa(len(w.tasks)), "chat", strconv.Quote(t.Chat)))
		}
		if !look {
			continue
		}
		if err := w.settle(ctx, t.Worker); err != nil && ctx.Err() == nil {
			return err
		}
		if len(w.tasks) == 0 {
			return w.outcome(t.Words)
		}
	}
}

func (w *openTasks) outcome(l words.Language) error {
	if w.failed > 0 {
		return failed(l.Say("{n} of the tasks did not succeed", "n", strconv.Itoa(w.failed)))
	}
	return nil
}
