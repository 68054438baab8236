package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"errand"
	"errand/internal/recovered"
)

// What is accepted is in the store. Its sender does not wait for Temporal to hear
// of it: an account hands over its messages one after the other, and while Temporal
// is away each call takes until it is given up.
const (
	promptly    = time.Second      // how long a sender waits all the same: nearly always it is enough
	longestCall = 10 * time.Second // how long a call may take
	mostCalls   = 64               // how many are made at once
)

// ErrNoAnswer says that Temporal has not answered yet. Whether it has heard is not
// known; reconciling store and Temporal makes up for it.
var ErrNoAnswer = errors.New("no answer from Temporal just now")

// PromptlyWakeSession is WakeSession for somebody who waits: it returns ErrNoAnswer
// after a second, and at once while Temporal is away. The call goes on meanwhile.
func (d *Dispatcher) PromptlyWakeSession(ctx context.Context, key errand.SessionKey, row int64) error {
	return d.prompt.call(ctx, func(ctx context.Context) error { return d.WakeSession(ctx, key, row) })
}

// PromptlyWakeOutbox is WakeOutbox for somebody who waits, see PromptlyWakeSession.
func (d *Dispatcher) PromptlyWakeOutbox(ctx context.Context, r errand.Route) error {
	return d.prompt.call(ctx, func(ctx context.Context) error { return d.WakeOutbox(ctx, r) })
}

// PromptlySteerTask is TaskSteered for somebody who waits, see PromptlyWakeSession.
func (d *Dispatcher) PromptlySteerTask(ctx context.Context, id errand.TaskID, agents []errand.AgentName, row int64) error {
	return d.prompt.call(ctx, func(ctx context.Context) error {
		_, err := d.TaskSteered(ctx, id, agents, row)
		return err
	})
}

// StartTaskBeside is StartTask for somebody who has the task's row, and waits for nothing
// else: the call goes on beside. Only while many go on do they wait, a second at most.
// failed is called with what went wrong, perhaps later.
func (d *Dispatcher) StartTaskBeside(ctx context.Context, t errand.Task, failed func(error)) {
	d.starts.beside(ctx, func(ctx context.Context) error { return d.StartTask(ctx, t, false) }, failed)
}

// A prompt makes calls on which nobody waits for long. The zero value is not usable.
type prompt struct {
	away  atomic.Bool // the last call failed, or has not been answered yet
	calls chan struct{}
	log   *slog.Logger
}

func newPrompt(log *slog.Logger) *prompt {
	return &prompt{calls: make(chan struct{}, mostCalls), log: log}
}

// call makes a call, and returns what came of it if that is known promptly: while
// Temporal is away, at once.
func (p *prompt) call(ctx context.Context, f func(context.Context) error) error {
	select {
	case p.calls <- struct{}{}:
	default:
		return ErrNoAnswer
	}
	away := p.away.Load()
	done := make(chan error, 1)
	go func() { done <- p.make(ctx, f) }()
	if away {
		return ErrNoAnswer
	}
	patience := time.NewTimer(promptly)
	defer patience.Stop()
	select {
	case err := <-done:
		return err
	case <-patience.C:
		p.away.Store(true)
		return ErrNoAnswer
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *prompt) beside(ctx context.Context, f func(context.Context) error, failed func(error)) {
	if err := p.enter(ctx); err != nil {
		failed(err)
		return
	}
	go func() {
		if err := p.make(ctx, f); err != nil {
			failed(err)
		}
	}()
}

// enter waits until a call may be made.
func (p *prompt) enter(ctx context.Context) error {
	select {
	case p.calls <- struct{}{}:
		return nil
	default:
	}
	if p.away.Load() {
		return ErrNoAnswer
	}
	patience := time.NewTimer(promptly)
	defer patience.Stop()
	select {
	case p.calls <- struct{}{}:
		return nil
	case <-patience.C:
		return ErrNoAnswer
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p *prompt) make(ctx context.Context, f func(context.Context) error) (err error) {
	defer recovered.Panic(p.log, "a call of Temporal", &err)
	defer func() { <-p.calls }()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestCall)
	defer cancel()
	err = f(ctx)
	p.away.Store(err != nil)
	return err
}
