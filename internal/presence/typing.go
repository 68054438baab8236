package presence

import (
	"cmp"
	"context"
	"errors"
	"sync"
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

type typist struct{ cancel context.CancelFunc }

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
	y.p.work.Go(func() { y.p.previews.follow(ctx, t, key, to) })
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
