package channels

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"errand"
	"errand/internal/elect"
	"errand/internal/recovered"
	"errand/internal/store"
)

// Leases keep who holds the connection of an account; [*store.Store] does.
type Leases interface {
	elect.Leases
	NoteConnection(ctx context.Context, a errand.Account, owner string, n store.ConnectionNote) (bool, error)
}

// The pace of a lease runner.
const (
	leaseTTL = 12 * time.Second
	standby  = time.Second     // between looks at a lease of another process
	pace     = 3 * time.Second // of reports and notices that are repeated
)

// retries are between attempts of a connection that ends by itself or panics.
var retries = Backoff{First: time.Second, Longest: time.Minute}

// LeaseRunnerOptions is what a lease runner needs. The first five are required.
type LeaseRunnerOptions struct {
	Account errand.Account
	Owner   string // unique to the process
	Leases  Leases
	// Connect makes a connection, which tells changed how it is.
	Connect func(changed func(Status)) (Connection, error)
	Logger  *slog.Logger
	// WhileHeld, if set, runs beside the connection for as long as the lease is held,
	// and has to end soon after its context. It is for what only the worker that holds
	// an account may do.
	WhileHeld func(context.Context)
	// OnConnected, if set, is called each time the connection has come up and the store
	// knows it, by one goroutine, and again until it succeeds.
	OnConnected func(context.Context) error
}

// A LeaseRunner runs the connection of one account while it holds the account's lease,
// so that of all processes one is connected; see package elect.
type LeaseRunner struct {
	LeaseRunnerOptions
	elector *elect.Elector

	mu      sync.Mutex
	status  Status
	changes chan struct{} // the status is another than before
}

// NewLeaseRunner returns one that holds nothing yet.
func NewLeaseRunner(o LeaseRunnerOptions) *LeaseRunner {
	o.Logger = o.Logger.With("channel", o.Account.Channel, "account", o.Account.Name)
	h := &LeaseRunner{LeaseRunnerOptions: o, changes: make(chan struct{}, 1)}
	h.elector = &elect.Elector{Leases: o.Leases, Of: o.Account, Owner: o.Owner, Do: h.connect, Logger: o.Logger, TTL: leaseTTL, Standby: standby}
	return h
}

// Connected reports whether this process holds the connection, and it works.
func (h *LeaseRunner) Connected() bool { return h.Holds() && h.currentStatus().State == Connected }

// Holds reports whether this process holds the connection; see [elect.Elector.Holds].
func (h *LeaseRunner) Holds() bool { return h.elector.Holds() }

// Run waits for the lease, connects, and stays connected until ctx ends. When it returns
// it is disconnected and has given the lease back. Each time it loses the lease it
// disconnects, and waits for it again.
func (h *LeaseRunner) Run(ctx context.Context) { h.elector.Run(ctx) }

// connect is connected until ctx ends, which is when the lease does.
func (h *LeaseRunner) connect(ctx context.Context) {
	h.setStatus(Status{State: Connecting, Since: time.Now()})
	defer h.setStatus(Status{State: Connecting})
	up := make(chan struct{}, 1)
	var parts sync.WaitGroup
	parts.Go(func() { h.reconnect(ctx) })
	parts.Go(func() { h.report(ctx, up) })
	parts.Go(func() { h.notifyConnected(ctx, up) })
	if h.WhileHeld != nil {
		parts.Go(func() { h.WhileHeld(ctx) })
	}
	parts.Wait()
}

// reconnect connects, again and again, until ctx ends.
func (h *LeaseRunner) reconnect(ctx context.Context) {
	for failures := 0; ; failures++ {
		began := time.Now()
		err := h.connectOnce(ctx)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > retries.Longest {
			failures = 0
		}
		h.setStatus(Status{State: Degraded, Detail: err.Error(), Since: time.Now()})
		h.Logger.Error("the connection ended by itself and is tried again", "error", err)
		if !Sleep(ctx, retries.After(failures)) {
			return
		}
	}
}

// connectOnce runs one connection. If it panics, the process goes on.
func (h *LeaseRunner) connectOnce(ctx context.Context) (err error) {
	defer recovered.Panic(h.Logger, "a connection", &err)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := h.Connect(func(s Status) {
		if ctx.Err() == nil { // the last word of one that is over is not how the next one is
			h.setStatus(s)
		}
	})
	if err != nil {
		return err
	}
	return cmp.Or(c.Run(ctx), errors.New("it ended without a reason"))
}

// report writes each status to the store, and signals up each time the connection has come up.
func (h *LeaseRunner) report(ctx context.Context, up chan<- struct{}) {
	var since time.Time // since when the connection was up at the last signal
	var retry <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.changes:
		case <-retry:
		}
		retry = nil
		s := h.currentStatus()
		noting, cancel := context.WithTimeout(ctx, pace)
		_, err := h.Leases.NoteConnection(noting, h.Account, h.Owner, store.ConnectionNote{
			State: s.State, Detail: s.Detail, Advice: s.Advice, Link: s.Link, Since: s.Since, Handles: s.Handles})
		cancel()
		switch {
		case err != nil:
			retry = time.After(pace)
		case s.State == Connected && !s.Since.Equal(since):
			since = s.Since
			signal(up)
		}
	}
}

// notifyConnected calls OnConnected each time the connection has come up.
func (h *LeaseRunner) notifyConnected(ctx context.Context, up <-chan struct{}) {
	for h.OnConnected != nil {
		select {
		case <-ctx.Done():
			return
		case <-up:
		}
		for failures := 0; ; failures++ {
			err := h.OnConnected(ctx)
			if err == nil {
				break
			}
			if ctx.Err() == nil {
				h.Logger.Warn("the work that was open when the connection came up was not resumed; trying again", "error", err)
			}
			if !Sleep(ctx, retries.After(failures)) {
				return
			}
		}
		Sleep(ctx, pace)
	}
}

func (h *LeaseRunner) currentStatus() Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.status
}

func (h *LeaseRunner) setStatus(s Status) {
	h.mu.Lock()
	h.status = s
	h.mu.Unlock()
	signal(h.changes)
}

func signal(to chan<- struct{}) {
	select {
	case to <- struct{}{}:
	default: // it will be seen with what is waiting
	}
}
