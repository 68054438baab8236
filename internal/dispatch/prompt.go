package dispatch

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"errand"
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

// A prompt makes calls on which nobody waits for long. The zero value is not usable.
type prompt struct {
	away  atomic.Bool // the last call failed, or has not been answered yet
	calls chan struct{}
}

func newPrompt() *prompt { return &prompt{calls: make(chan struct{}, mostCalls)} }

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
	go func() {
		defer func() { <-p.calls }()
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), longestCall)
		defer cancel()
		err := f(ctx)
		p.away.Store(err != nil)
		done <- err
	}()
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
