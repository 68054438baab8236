package channels

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"errand"
	"errand/store"
)

// Leases keep who holds the connection of an account; [*store.Store] does.
type Leases interface {
	Lease(ctx context.Context, a errand.Account, owner string, ttl time.Duration) (bool, error)
	ReleaseLease(ctx context.Context, a errand.Account, owner string) error
	NoteConnection(ctx context.Context, a errand.Account, owner string, n store.ConnectionNote) (bool, error)
}

// HolderOptions is what a holder needs. The first five are required.
type HolderOptions struct {
	Account errand.Account
	Owner   string // unique to the process
	Leases  Leases
	// Connect makes a connection, which tells changed how it is.
	Connect func(changed func(Status)) (Connection, error)
	Logger  *slog.Logger

	// Patience is how long the connection goes on without the lease being renewed;
	// default 10 s. Nobody else holds it for Slack longer (default 2 s), which is for
	// it to come down in.
	Patience, Slack time.Duration
	Renew           time.Duration // between renewals; default 3 s
	Standby         time.Duration // between looks at a lease of somebody else; default 1 s
	// Pause and LongestPause are between attempts of a connection that ends by
	// itself or panics, doubled each time; default 1 s and 1 min.
	Pause, LongestPause time.Duration
}

// A Holder runs the connection of one account while it holds the account's lease,
// so that of all processes one is connected. A process that is cut off from the
// store cannot know whether another has taken over: it disconnects before one can.
type Holder struct {
	HolderOptions

	mu     sync.Mutex
	status Status
	held   bool
	news   chan struct{} // the status is another than before
}

// NewHolder returns a holder that holds nothing yet.
func NewHolder(o HolderOptions) (*Holder, error) {
	if o.Account.Channel == "" || o.Account.Name == "" || o.Owner == "" || o.Leases == nil || o.Connect == nil || o.Logger == nil {
		return nil, errors.New("holder: Account, Owner, Leases, Connect and Logger are required")
	}
	o.Patience = cmp.Or(o.Patience, 10*time.Second)
	o.Slack = cmp.Or(o.Slack, 2*time.Second)
	o.Renew = cmp.Or(o.Renew, 3*time.Second)
	o.Standby = cmp.Or(o.Standby, time.Second)
	o.Pause = cmp.Or(o.Pause, time.Second)
	o.LongestPause = cmp.Or(o.LongestPause, time.Minute)
	o.Logger = o.Logger.With("channel", o.Account.Channel, "account", o.Account.Name)
	return &Holder{HolderOptions: o, news: make(chan struct{}, 1)}, nil
}

// Connected reports whether this process holds the connection, and it works.
func (h *Holder) Connected() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.held && h.status.State == Connected
}

// Hold waits for the lease, connects, and stays connected until ctx ends, whose
// error it returns. By then nothing is connected any more, and the lease is given
// back. Whenever the lease is lost it disconnects, and waits for it again.
func (h *Holder) Hold(ctx context.Context) error {
	for {
		until, err := h.acquire(ctx)
		if err != nil {
			return err
		}
		h.stay(ctx, until)
		if ctx.Err() == nil {
			continue
		}
		// The lease is to be free at once, not when it is over.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
		defer cancel()
		if err := h.Leases.ReleaseLease(ctx, h.Account, h.Owner); err != nil {
			h.Logger.Warn("the lease of the connection is not given back; it ends by itself", "error", err)
		}
		return context.Canceled
	}
}

// acquire waits for the lease, and returns until when it is safe to be connected.
func (h *Holder) acquire(ctx context.Context) (time.Time, error) {
	for failing := false; ; {
		until, held, err := h.lease(ctx)
		switch {
		case ctx.Err() != nil:
			return until, ctx.Err()
		case held:
			return until, nil
		case err != nil && !failing:
			h.Logger.Warn("the connection waits: its lease cannot be had", "error", err)
		}
		failing = err != nil
		if !rest(ctx, h.Standby) {
			return until, ctx.Err()
		}
	}
}

// lease asks for the lease, or for more of it. The time counts from before the
// store was asked: it is over here before it is over there.
func (h *Holder) lease(ctx context.Context) (until time.Time, held bool, err error) {
	until = time.Now().Add(h.Patience)
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	held, err = h.Leases.Lease(ctx, h.Account, h.Owner, h.Patience+h.Slack)
	return until, held, err
}

// stay is connected until ctx ends, the lease is lost, or its time is over.
func (h *Holder) stay(ctx context.Context, until time.Time) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	h.change(Status{State: Connecting, Since: time.Now()}, true)
	defer h.change(Status{State: Connecting}, false)
	var parts sync.WaitGroup
	defer parts.Wait()
	defer cancel()
	parts.Go(func() { h.run(ctx) })
	renewed, kept := make(chan time.Time), make(chan struct{})
	go func() {
		defer close(kept)
		h.keep(ctx, renewed)
	}()
	// The lease is not to be renewed behind its being given back. But a store that
	// does not answer must not hold up the end.
	defer func() {
		cancel()
		select {
		case <-kept:
		case <-time.After(h.Slack):
		}
	}()
	over := time.NewTimer(time.Until(until))
	defer over.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-over.C:
			h.Logger.Error("disconnecting: the store could not be reached for " + h.Patience.String() + ", and another worker may connect")
			return
		case until, held := <-renewed:
			if !held {
				h.Logger.Warn("disconnecting: another worker holds the connection")
				return
			}
			over.Reset(time.Until(until))
		}
	}
}

// keep renews the lease and keeps the status in the store. It closes renewed when
// the lease is somebody else's.
func (h *Holder) keep(ctx context.Context, renewed chan<- time.Time) {
	tick := time.NewTicker(h.Renew)
	defer tick.Stop()
	unsaid := false
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.news:
			unsaid = !h.note(ctx)
		case <-tick.C:
			until, held, err := h.lease(ctx)
			switch {
			case ctx.Err() != nil:
				return
			case err != nil:
				h.Logger.Warn("the lease of the connection is not renewed", "error", err)
				continue
			case !held:
				close(renewed)
				return
			}
			select {
			case renewed <- until:
			case <-ctx.Done():
				return
			}
			if unsaid {
				unsaid = !h.note(ctx)
			}
		}
	}
}

// note keeps the status in the store; false if that is to be tried again.
func (h *Holder) note(ctx context.Context) bool {
	h.mu.Lock()
	s := h.status
	h.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, h.Renew)
	defer cancel()
	_, err := h.Leases.NoteConnection(ctx, h.Account, h.Owner, store.ConnectionNote{
		State: string(s.State), Detail: s.Detail, Advice: s.Advice, Link: s.Link, Since: s.Since})
	return err == nil
}

// change notes a status. It does not block.
func (h *Holder) change(s Status, held bool) {
	h.mu.Lock()
	h.status, h.held = s, held
	h.mu.Unlock()
	h.tell()
}

func (h *Holder) tell() {
	select {
	case h.news <- struct{}{}:
	default: // it will be seen with what is waiting
	}
}

// run connects, again and again, until ctx ends.
func (h *Holder) run(ctx context.Context) {
	for pause := h.Pause; ; pause = min(2*pause, h.LongestPause) {
		began := time.Now()
		err := h.once(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > h.LongestPause {
			pause = h.Pause
		}
		h.change(Status{State: Degraded, Detail: err.Error(), Since: time.Now()}, true)
		h.Logger.Error("the connection ended by itself and is tried again", "error", err)
		if !rest(ctx, pause) {
			return
		}
	}
}

// once runs one connection. That it panics must not end whatever else the process
// does.
func (h *Holder) once(ctx context.Context) (err error) {
	defer func() {
		if p := recover(); p != nil {
			h.Logger.Error("the connection panicked", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("a fault in errand: %v", p)
		}
	}()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := h.Connect(func(s Status) {
		if ctx.Err() == nil { // the last word of one that is over is not how the next one is
			h.change(s, true)
		}
	})
	if err != nil {
		return err
	}
	return cmp.Or(c.Run(ctx), errors.New("it ended without a reason"))
}

// rest waits for a while; false if ctx ended meanwhile.
func rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
