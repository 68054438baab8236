package app

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"

	"errand/activities"
	"errand/internal/channels"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

type connections struct {
	store       *store.Store
	owner       string // name of this process in leases
	runners     map[core.Account]*channels.LeaseRunner
	attendances map[core.Account]*channels.Attendance
}

var _ activities.Connections = (*connections)(nil)

func (c *connections) Connect(ctx context.Context, a core.Account) error {
	k, ok := c.attendances[a]
	if !ok {
		return fmt.Errorf("%s: %w", a, activities.ErrNoConnection)
	}
	return k.Attend(ctx)
}

// Holds is true for an account without a connection.
func (c *connections) Holds(a core.Account) bool {
	r, ok := c.runners[a]
	return !ok || r.Holds()
}

// Ready is true for an account without a connection, because its state is unknown.
func (c *connections) Ready(a core.Account) bool {
	r, ok := c.runners[a]
	return !ok || r.Connected()
}

// ReadyElsewhere reports whether another worker has a working connection of the account.
func (c *connections) ReadyElsewhere(ctx context.Context, a core.Account) (bool, error) {
	now, found, err := c.store.Connection(ctx, a)
	return found && now.Owner != "" && now.Owner != c.owner && now.State == core.Connected, err
}

// close disconnects all at the same time, because each may take a while.
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
		OnConnected: func(ctx context.Context) error { return a.Service.Internal.AccountBack(ctx, account) },
	})
	a.connections.runners[account] = h
	a.connections.attendances[account] = &channels.Attendance{Run: h.Run}
	return nil
}

func ownerName() string {
	host, err := os.Hostname()
	if err != nil {
		host = "worker"
	}
	return fmt.Sprintf("%s:%d:%s", host, os.Getpid(), uuid.NewString()[:8])
}

func (a *App) startConnections(o Options) error {
	if len(a.connections.attendances) > 0 {
		// An attempt of a terminated workflow may run next to its successor.
		err := a.workers.workOn(wire.ConnectionQueue, 2*len(a.connections.attendances)+2, a.connections.close)
		if err != nil {
			return err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	a.serving.Go(func() { a.ensureConnections(ctx) })
	a.stopWith(func(context.Context) { cancel() })
	return nil
}

// ensureConnections repeats, because a person may terminate a workflow in the Web UI.
func (a *App) ensureConnections(ctx context.Context) {
	for {
		wait := time.Minute
		if err := a.Service.Internal.EnsureConnections(ctx); err != nil && ctx.Err() == nil {
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
