package channels

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"errand"
	"errand/internal/store"
)

// Leases keep who holds the connection of an account; [*store.Store] does.
type Leases interface {
	Lease(ctx context.Context, a errand.Account, owner string, ttl time.Duration) (bool, error)
	ReleaseLease(ctx context.Context, a errand.Account, owner string) error
	NoteConnection(ctx context.Context, a errand.Account, owner string, n store.ConnectionNote) (bool, error)
}

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
	// knows it, by one goroutine, and again until it succeeds. It is not called
	// more often than every Renew.
	OnConnected func(context.Context) error

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

// A LeaseRunner runs the connection of one account while it holds the account's lease,
// so that of all processes one is connected. A process that is cut off from the
// store cannot know whether another has taken over: it disconnects before one can.
type LeaseRunner struct {
	LeaseRunnerOptions

	mu      sync.Mutex
	status  Status
	until   time.Time     // when the lease is over; zero: it is not held
	changes chan struct{} // the status is another than before
}

// NewLeaseRunner returns one that holds nothing yet.
func NewLeaseRunner(o LeaseRunnerOptions) (*LeaseRunner, error) {
	if o.Account.Channel == "" || o.Account.Name == "" || o.Owner == "" || o.Leases == nil || o.Connect == nil || o.Logger == nil {
		return nil, errors.New("lease runner: Account, Owner, Leases, Connect and Logger are required")
	}
	o.Patience = cmp.Or(o.Patience, 10*time.Second)
	o.Slack = cmp.Or(o.Slack, 2*time.Second)
	o.Renew = cmp.Or(o.Renew, 3*time.Second)
	o.Standby = cmp.Or(o.Standby, time.Second)
	o.Pause = cmp.Or(o.Pause, time.Second)
	o.LongestPause = cmp.Or(o.LongestPause, time.Minute)
	o.Logger = o.Logger.With("channel", o.Account.Channel, "account", o.Account.Name)
	return &LeaseRunner{LeaseRunnerOptions: o, changes: make(chan struct{}, 1)}, nil
}

// Connected reports whether this process holds the connection, and it works.
func (h *LeaseRunner) Connected() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.holdsLocked() && h.status.State == Connected
}

// Holds reports whether this process holds the connection. It is false as soon as the
// lease may be somebody else's: also in a process that has stood still and does not
// know yet.
func (h *LeaseRunner) Holds() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.holdsLocked()
}

func (h *LeaseRunner) holdsLocked() bool { return time.Now().Before(h.until) }

func (h *LeaseRunner) setUntil(until time.Time) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.until = until
}

// Run waits for the lease, connects, and stays connected until ctx ends, whose
// error it returns. By then nothing is connected any more, and the lease is given
// back. Whenever the lease is lost it disconnects, and waits for it again.
func (h *LeaseRunner) Run(ctx context.Context) error {
	for {
		until, err := h.acquire(ctx)
		if err != nil {
			return err
		}
		h.runLeased(ctx, until)
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
