package app

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/temporal"

	"errand"
	"errand/activities"
	"errand/internal/channels"
	"errand/internal/config"
	"errand/internal/store"
	"errand/workflows"
)

type connections struct {
	store       *store.Store
	owner       string // what this process is called in leases
	runners     map[errand.Account]*channels.LeaseRunner
	attendances map[errand.Account]*channels.Attendance
}

var _ activities.Connections = (*connections)(nil)

// Connect has the connection of an account held until ctx ends.
func (c *connections) Connect(ctx context.Context, a errand.Account) error {
	k, ok := c.attendances[a]
	if !ok {
		return fmt.Errorf("%s: %w", a, activities.ErrNoConnection)
	}
	return k.Attend(ctx)
}

// Holds reports whether this process is the one that sends on an account: it holds its
// connection, or the account has none.
func (c *connections) Holds(a errand.Account) bool {
	r, ok := c.runners[a]
	return !ok || r.Holds()
}

// Ready reports whether what is told on an account can be sent from here and is likely
// to arrive. Of an account without a connection nothing is known.
func (c *connections) Ready(a errand.Account) bool {
	r, ok := c.runners[a]
	return !ok || r.Connected()
}

// ReadyElsewhere reports whether another worker holds the connection of an account,
// and it works.
func (c *connections) ReadyElsewhere(ctx context.Context, a errand.Account) (bool, error) {
	now, found, err := c.store.Connection(ctx, a)
	return found && now.Owner != "" && now.Owner != c.owner && now.State == errand.Connected, err
}

// close disconnects all, at once: each takes until what it is at is done.
func (c *connections) close() {
	var closing sync.WaitGroup
	for _, k := range c.attendances {
		closing.Go(k.Close)
	}
	closing.Wait()
}

func (a *App) hold(c config.Channel, p platform) error {
	account := c.At()
	h := channels.NewLeaseRunner(channels.LeaseRunnerOptions{
		Account: account, Owner: a.owner, Leases: a.Store, Connect: p.connect, Logger: a.log,
		WhileHeld:   func(ctx context.Context) { a.deliverOn(ctx, account) },
		OnConnected: func(ctx context.Context) error { return a.Service.AccountBack(ctx, account) },
	})
	a.connections.runners[account] = h
	a.connections.attendances[account] = &channels.Attendance{
		Run: h.Run, IsMissing: isMissing,
		IsWanted: func(ctx context.Context) bool { return a.Dispatch.WantsConnection(ctx, account) },
	}
	return nil
}

// isMissing reports whether an activity has ended without its workflow asking for
// that: its heartbeat came too late or could not be delivered at all, because
// Temporal is away, starts or is busy. Nothing of that is the connection's fault.
func isMissing(cause error) bool { return !temporal.IsCanceledError(cause) }

func ownerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return fmt.Sprintf("%s:%d:%s", host, os.Getpid(), uuid.NewString()[:8])
}

func (a *App) startConnections(o Options) error {
	if len(a.connections.attendances) > 0 {
		// Of each there may be an attempt that Temporal has given up, beside the next.
		err := a.workOn(workflows.ConnectionQueue, 2*len(a.connections.attendances)+2, o, a.connections.close)
		if err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.serving.Go(func() { a.ensureConnections(ctx) })
	a.stopWith(func(context.Context) { cancel() })
	return nil
}

// ensureConnections looks at start and every minute: somebody may have terminated
// one in the Web UI.
func (a *App) ensureConnections(ctx context.Context) {
	for {
		wait := time.Minute
		if err := a.Service.EnsureConnections(ctx); err != nil && ctx.Err() == nil {
			a.log.Warn("connections not started", "error", err)
			wait = 5 * time.Second
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
	}
}
