package service

import (
	"context"
	"strings"
	"sync"
	"time"

	"errand"
	"errand/internal/metrics"
	"errand/internal/rights"
)

const countsFor = 5 * time.Second // that monitors get the same numbers

// countsWithin is how long counting may take: a monitor gives up soon.
const countsWithin = 3 * time.Second

// Numbers returns what a monitor reads of the installation.
func (s *Service) Numbers(ctx context.Context, by Actor) (metrics.Installation, error) {
	if err := s.may(by, rights.MetricsRead); err != nil {
		return metrics.Installation{}, err
	}
	locks := s.Store.Locks()
	known := s.numbers.read(ctx, s.count)
	known.Locks = metrics.Locks{Waits: locks.Waits, Waited: locks.Waited, TimedOut: locks.TimedOut}
	known.Events = metrics.Events(s.Store.Bus().Stats())
	for _, p := range s.Store.Pools() {
		known.Pools = append(known.Pools, metrics.Pool{Name: p.Name, Max: p.MaxOpenConnections, Open: p.OpenConnections, Used: p.InUse,
			Waits: p.WaitCount, Waited: p.WaitDuration})
	}
	return known, ctx.Err()
}

// count reads what the store knows. What cannot be had is left out.
func (s *Service) count(ctx context.Context) metrics.Installation {
	var known metrics.Installation
	if c, err := s.Store.Counts(ctx); err != nil {
		s.Logger.Warn("what there is to do could not be counted for /metrics", "error", err)
	} else {
		known.Counts = &metrics.Counts{OpenTasks: map[string]int{}, Inbox: c.Inbox, InboxOldest: c.InboxOldest, Outbox: map[string]int{}, OutboxOldest: c.OutboxOldest}
		for state, n := range c.OpenTasks {
			known.Counts.OpenTasks[string(state)] = n
		}
		for state, n := range c.Outbox {
			known.Counts.Outbox[string(state)] = n
		}
	}
	states := make([]string, 0, len(errand.ConnectionStates()))
	for _, state := range errand.ConnectionStates() {
		states = append(states, label(state))
	}
	connections, err := s.ConnectionStates(ctx)
	if err != nil {
		s.Logger.Warn("the states of connections could not be read for /metrics", "error", err)
	}
	for _, c := range connections {
		known.Connections = append(known.Connections, metrics.Connection{Channel: c.Channel, Account: c.Account, State: label(c.State), States: states})
	}
	return known
}

func label(state errand.ConnectionState) string { return strings.ReplaceAll(string(state), " ", "_") }

// A countCache is what was counted last. Who asks meanwhile, or while it is counted, gets
// the same.
type countCache struct {
	mu    sync.Mutex
	at    time.Time
	known metrics.Installation
}

func (c *countCache) read(ctx context.Context, count func(context.Context) metrics.Installation) metrics.Installation {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || time.Since(c.at) >= countsFor {
		// One who asked and went away must not make it fail for the others.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), countsWithin)
		defer cancel()
		c.known = count(ctx)
		c.at = time.Now()
	}
	return c.known
}
