package presence

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"errand"
	"errand/notifiers"
)

// typing shows that an agent writes, from the first step of a turn that this
// process runs until the turn is over: one goroutine for each.
type typing struct {
	p       *Presence
	mu      sync.Mutex
	running map[turn]*typist
}

// A typist shows it in one chat.
type typist struct {
	cancel  context.CancelFunc
	trouble atomic.Pointer[trouble] // nil: there was none
}

// A trouble is what is said in place of a reply whose model fails, for as long as no more of
// the reply is written than was when it came.
type trouble struct {
	errand.Event
	written string
}

const politeness = 4 * time.Second // for a call that nothing depends on

// start shows it, unless it is being shown.
func (y *typing) start(ctx context.Context, t turn, key errand.SessionKey, to errand.Route) {
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

// stepped notes whether the model of a turn fails. A tool that is called shows that it does
// not any more.
func (y *typing) stepped(t turn, e errand.Event) {
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

// stop ends it at once: the reply is on its way, and nothing is to be shown behind
// it.
func (y *typing) stop(t turn) {
	y.mu.Lock()
	defer y.mu.Unlock()
	if me := y.running[t]; me != nil {
		me.cancel()
		delete(y.running, t)
	}
}

func (y *typing) write(ctx context.Context, t turn, to errand.Route) {
	tick := time.NewTicker(cmp.Or(y.p.TypeEvery, y.p.Notifiers.TypingDuration(to)*9/10))
	defer tick.Stop()
	for {
		// The turn may have ended in another process, or been closed by somebody
		// who had nothing to say about it.
		works, err := y.p.Store.AtWork(ctx, t.session, t.number)
		if ctx.Err() != nil || err == nil && !works {
			return
		}
		call, cancel := context.WithTimeout(ctx, politeness)
		err = y.p.Notifiers.Typing(call, to)
		cancel()
		var send *notifiers.SendError
		if errors.As(err, &send) && send.Outcome == notifiers.Refused {
			return // what the turn will say is refused, too
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}
