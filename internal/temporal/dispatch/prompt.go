package dispatch

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"errand/internal/core"
	"errand/internal/telemetry"
)

// Accepted messages are in the store, so their senders need not wait for Temporal. An account hands
// over its messages one after the other, and while Temporal is unreachable each call would take
// until its timeout.
const (
	promptly    = time.Second      // how long a sender waits; nearly always enough
	longestCall = 10 * time.Second // timeout of a call
	mostCalls   = 64               // maximum of concurrent calls
)

// ErrNoAnswer means that Temporal has not answered yet. The call may still succeed; otherwise
// reconciliation repeats it.
var ErrNoAnswer = errors.New("no answer from Temporal just now")

// PromptlyWakeSession is like WakeSession, but returns ErrNoAnswer after a second, or at once while
// Temporal is unreachable. The call continues in the background.
func (d *Dispatcher) PromptlyWakeSession(ctx context.Context, key core.SessionKey, row int64) error {
	return d.prompt.call(ctx, func(ctx context.Context) error { return d.WakeSession(ctx, key, row) })
}

// PromptlyWakeOutbox is WakeOutbox with the limits of PromptlyWakeSession.
func (d *Dispatcher) PromptlyWakeOutbox(ctx context.Context, r core.Route) error {
	return d.prompt.call(ctx, func(ctx context.Context) error { return d.WakeOutbox(ctx, r) })
}

// PromptlySteerTask is TaskSteered with the limits of PromptlyWakeSession.
func (d *Dispatcher) PromptlySteerTask(ctx context.Context, id core.TaskID, agents []core.AgentName, row int64) error {
	return d.prompt.call(ctx, func(ctx context.Context) error {
		_, err := d.TaskSteered(ctx, id, agents, row)
		return err
	})
}

// StartTaskBeside calls StartTask in the background. It waits only while many other calls are in
// progress, for a second at most. It may call failed later.
func (d *Dispatcher) StartTaskBeside(ctx context.Context, t core.Task, failed func(error)) {
	d.starts.beside(ctx, func(ctx context.Context) error { return d.StartTask(ctx, t, false) }, failed)
}

type prompt struct {
	away  atomic.Bool // the last call failed or has no answer yet
	calls chan struct{}
	log   *slog.Logger
}

func newPrompt(log *slog.Logger) *prompt {
	return &prompt{calls: make(chan struct{}, mostCalls), log: log}
}

// call returns the result of f if it comes in time, and ErrNoAnswer otherwise. While Temporal is
// unreachable it does not wait.
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
	defer telemetry.RecoverPanic(p.log, "a call of Temporal", &err)
	defer func() { <-p.calls }()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestCall)
	defer cancel()
	err = f(ctx)
	p.away.Store(err != nil)
	return err
}
