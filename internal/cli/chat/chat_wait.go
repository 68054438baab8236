package chat

import (
	"context"
	"errors"
	"time"

	"errand/api"
	"errand/internal/cli/console"
	"errand/internal/core"
)

type openTasks struct {
	tasks  map[core.TaskID]bool
	failed int
}

func (w *openTasks) note(e console.Event) {
	if e.Type == core.EventTask && e.State == core.Submitted {
		w.tasks[e.Task] = true
	}
}

// settle removes the tasks that were reported. A task that another task started is
// reported to that task.
func (w *openTasks) settle(ctx context.Context, c *console.Worker) error {
	for id := range w.tasks {
		task, err := api.Call(ctx, c.API(), api.GetTask, api.GetTaskInput{TaskID: api.TaskID{ID: string(id)}})
		if err != nil {
			if console.Retryable(err) {
				return nil // try again later
			}
			return err
		}
		switch t := task.Value.Task; {
		case t.Parent != "":
		case !isDelivered(t):
			continue
		case t.State != core.Completed:
			w.failed++
		}
		delete(w.tasks, id)
	}
	return nil
}

func isDelivered(t core.Task) bool {
	switch t.Way {
	case core.WayUndecided:
		return false
	case core.WayFold, core.WayNotification:
		return t.Delivery != ""
	}
	return t.State.Terminal()
}

// settleEvery is the fallback if events are lost.
const settleEvery = 30 * time.Second

func (t *Chat) await(ctx context.Context, w *openTasks, p *Printer) error {
	if err := w.settle(ctx, t.Worker); err != nil || len(w.tasks) == 0 {
		return errors.Join(err, w.outcome())
	}
	events := make(chan console.Event)
	following, stop := context.WithCancel(ctx)
	defer stop()
	followed := make(chan error, 1)
	go func() {
		followed <- t.Follow(following, p.last, func(e console.Event) bool { return pass(following, events, e) })
	}()
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	defer p.End()
	for {
		look := false
		select {
		case e := <-events:
			// Without an id to start after, the log begins with old events.
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
			return console.Failf("stopped waiting; %d task(s) continue, and their results will come to the chat: errand chat --chat %q", len(w.tasks), t.Chat)
		}
		if !look {
			continue
		}
		if err := w.settle(ctx, t.Worker); err != nil && ctx.Err() == nil {
			return err
		}
		if len(w.tasks) == 0 {
			return w.outcome()
		}
	}
}

func (w *openTasks) outcome() error {
	if w.failed > 0 {
		return console.Failf("%d of the tasks failed", w.failed)
	}
	return nil
}
