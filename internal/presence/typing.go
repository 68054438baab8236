package presence

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"errand/internal/core"
	"errand/notifiers"
)

// typing runs one goroutine for each turn of this process.
type typing struct {
	p       *Presence
	mu      sync.Mutex
	running map[turn]*typist
}

type typist struct {
	cancel  context.CancelFunc
	trouble atomic.Pointer[trouble] // nil: none
}

// A trouble is shown instead of the reply until more text is written.
type trouble struct {
	core.Event
	written string
}

const politeness = 4 * time.Second // timeout of a call whose result does not matter

func (y *typing) start(ctx context.Context, t turn, key core.SessionKey, to core.Route) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if y.running[t] != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	me := &typist{cancel: cancel}
	y.running[t] = me
	y.p.work.Go(func() { y.p.previews.follow(ctx, t, key, to, &me.trouble) })
	y.p.work.Go(func() {
		defer cancel()
		y.write(ctx, t, to)
		y.mu.Lock()
		defer y.mu.Unlock()
		if y.running[t] == me {
			delete(y.running, t)
		}
	})
}

// stepped shows a model's trouble instead of the reply, and a placeholder once a tool call shows
// that the model answers again.
func (y *typing) stepped(t turn, e core.Event) {
	y.mu.Lock()
	defer y.mu.Unlock()
	me := y.running[t]
	switch {
	case me == nil:
		return
	case e.Trouble != "":
		e.Text = e.Trouble
	case e.Tool != "" && me.trouble.Load() != nil:
		e.Text = placeholder
	default:
		return
	}
	written, _ := y.p.previews.partial(t, e.Key)
	me.trouble.Store(&trouble{e, written.Text})
}

// stop ends the indicator at once, so that nothing is shown after the reply.
func (y *typing) stop(t turn) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if me := y.running[t]; me != nil {
		me.cancel()
		delete(y.running, t)
	}
}

func (y *typing) write(ctx context.Context, t turn, to core.Route) {
	tick := time.NewTicker(cmp.Or(y.p.TypeEvery, y.p.Notifiers.TypingDuration(to)*9/10))
	defer tick.Stop()
	for {
		// The turn may have ended in another process, or without an event.
		works, err := y.p.Store.AtWork(ctx, t.session, t.number)
		if ctx.Err() != nil || err == nil && !works {
			return
		}
		call, cancel := context.WithTimeout(ctx, politeness)
		err = y.p.Notifiers.Typing(call, to)
		cancel()
		var send *notifiers.SendError
		if errors.As(err, &send) && send.Outcome == notifiers.Refused {
			return // the platform would refuse the reply, too
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
