package channels

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"errand/internal/core"
	"errand/internal/elect"
	"errand/internal/store"
	"errand/internal/telemetry"
)

// Leases store which process holds the connection of an account. [*store.Store] implements it.
type Leases interface {
	elect.Leases
	NoteConnection(ctx context.Context, a core.Account, owner string, n store.ConnectionNote) (bool, error)
}

const (
	leaseTTL = 10 * time.Second
	standby  = time.Second     // between checks of another process's lease
	pace     = 3 * time.Second // between repeated reports and notices
)

var retries = Backoff{First: time.Second, Longest: time.Minute}

// LeaseRunnerOptions configure a lease runner. The first five are required.
type LeaseRunnerOptions struct {
	Account core.Account
	Owner   string // unique to the process
	Leases  Leases
	// Connect creates a connection, which reports its status through changed.
	Connect func(changed func(Status)) (Connection, error)
	Logger  *slog.Logger
	// WhileHeld, if set, runs while this process holds the lease. It must end soon after its
	// context. Use it for work that only the holder of the account may do.
	WhileHeld func(context.Context)
	// OnConnected, if set, is called each time the connection comes up, after the store has
	// recorded that. One goroutine calls it and retries it until it succeeds.
	OnConnected func(context.Context) error
}

// A LeaseRunner runs the connection of one account while it holds the account's lease, so that only
// one process is connected. See package elect.
type LeaseRunner struct {
	LeaseRunnerOptions
	elector *elect.Elector

	mu      sync.Mutex
	status  Status
	changes chan struct{} // signals that the status changed
}

func NewLeaseRunner(o LeaseRunnerOptions) *LeaseRunner {
	o.Logger = o.Logger.With("channel", o.Account.Channel, "account", o.Account.Name)
	h := &LeaseRunner{LeaseRunnerOptions: o, changes: make(chan struct{}, 1)}
	h.elector = &elect.Elector{Leases: o.Leases, Of: o.Account, Owner: o.Owner, Do: h.connect, Logger: o.Logger, TTL: leaseTTL, Standby: standby}
	return h
}

// Connected reports whether this process holds a working connection.
func (h *LeaseRunner) Connected() bool { return h.Holds() && h.currentStatus().State == Connected }

// Holds reports whether this process holds the lease. See [elect.Elector.Holds].
func (h *LeaseRunner) Holds() bool { return h.elector.Holds() }

// Run waits for the lease, connects, and stays connected until ctx ends. If it loses the lease, it
// disconnects and waits for the lease again. It returns after it has disconnected and released the
// lease.
func (h *LeaseRunner) Run(ctx context.Context) { h.elector.Run(ctx) }

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
		h.Logger.Error("connection ended by itself; errand connects again", "error", err)
		if !Sleep(ctx, retries.After(failures)) {
			return
		}
	}
}

func (h *LeaseRunner) connectOnce(ctx context.Context) (err error) {
	defer telemetry.RecoverPanic(h.Logger, "a connection", &err)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c, err := h.Connect(func(s Status) {
		if ctx.Err() == nil { // ignore late reports of an old connection
			h.setStatus(s)
		}
	})
	if err != nil {
		return err
	}
	return cmp.Or(c.Run(ctx), errors.New("it ended without a reason"))
}

func (h *LeaseRunner) report(ctx context.Context, up chan<- struct{}) {
	var since time.Time // when the connection of the last signal began
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
				h.Logger.Warn("open work not resumed after the connection came up; trying again", "error", err)
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
	default: // a signal is pending already
	}
}
