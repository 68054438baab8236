package service

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/telemetry"
)

const countsFor = 5 * time.Second // for which monitors get the same numbers

// countsWithin limits counting, because monitors have short timeouts.
const countsWithin = 3 * time.Second

func (n *Installation) getMetrics(ctx context.Context, _ actor.Actor, in api.MetricsInput) (api.File, error) {
	locks := n.Store.Locks()
	known := n.numbers.read(ctx, n.count)
	known.Locks = telemetry.Locks{Waits: locks.Waits, Waited: locks.Waited, TimedOut: locks.TimedOut}
	known.Events = telemetry.Events(n.Store.Bus().Stats())
	for _, p := range n.Store.Pools() {
		known.Pools = append(known.Pools, telemetry.Pool{Name: p.Name, Max: p.MaxOpenConnections, Open: p.OpenConnections, Used: p.InUse,
			Waits: p.WaitCount, Waited: p.WaitDuration})
	}
	known.Hooks = in.Hooks
	var text bytes.Buffer
	media, err := n.metrics.Render(&text, in.Accept, known)
	return api.File{Reader: &text, Type: media, Size: int64(text.Len())}, err
}

// count omits numbers that cannot be read.
func (n *Installation) count(ctx context.Context) telemetry.Installation {
	var known telemetry.Installation
	if c, err := n.Store.Counts(ctx); err != nil {
		n.Logger.Warn("cannot count open work for /metrics", "error", err)
	} else {
		known.Counts = &telemetry.Counts{OpenTasks: map[string]int{}, Inbox: c.Inbox, InboxOldest: c.InboxOldest, Outbox: map[string]int{}, OutboxOldest: c.OutboxOldest}
		for state, tasks := range c.OpenTasks {
			known.Counts.OpenTasks[string(state)] = tasks
		}
		for state, rows := range c.Outbox {
			known.Counts.Outbox[string(state)] = rows
		}
	}
	states := make([]string, 0, len(core.ConnectionStates()))
	for _, state := range core.ConnectionStates() {
		states = append(states, label(state))
	}
	accounts, err := connections(ctx, n.Store, n.accounts)
	if err != nil {
		n.Logger.Warn("cannot read connection states for /metrics", "error", err)
	}
	for _, c := range accounts {
		known.Connections = append(known.Connections, telemetry.Connection{Channel: c.Channel, Account: c.Account, State: label(c.State), States: states})
	}
	return known
}

func label(state core.ConnectionState) string { return strings.ReplaceAll(string(state), " ", "_") }

// A countCache gives concurrent callers the same numbers.
type countCache struct {
	mu    sync.Mutex
	at    time.Time
	known telemetry.Installation
}

func (c *countCache) read(ctx context.Context, count func(context.Context) telemetry.Installation) telemetry.Installation {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || time.Since(c.at) >= countsFor {
		// A caller who leaves must not cancel the count for the others.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countsWithin)
		defer cancel()
		c.known = count(ctx)
		c.at = time.Now()
	}
	return c.known
}
