package mcpclient

import (
	"context"
	"sync"
	"time"

	"errand/internal/store"
)

// duty is the lease of a server that one worker of the installation runs.
func (c *connection) duty() store.Duty { return store.Duty("mcp:" + c.Name) }

// holdLeased runs the server for as long as this worker has its lease. The lease counts
// from before the store was asked: it is over here before it is over there.
func (c *connection) holdLeased(ctx context.Context) {
	for ctx.Err() == nil {
		asked := time.Now()
		lasts, _, err := c.o.Leases.LeaseDuty(ctx, c.duty(), c.o.Worker, c.o.LeaseTTL)
		if err != nil && ctx.Err() == nil {
			c.log.Warn("the lease of an MCP server cannot be had; it is tried again", "error", err)
		}
		if lasts > 0 {
			c.runLeased(ctx, asked.Add(lasts))
			continue
		}
		c.standBy()
		timer := time.NewTimer(c.o.LeaseTTL / 3)
		select {
		case <-ctx.Done():
			timer.Stop()
		case <-timer.C:
		}
	}
}

// standBy notes that another worker runs the server.
func (c *connection) standBy() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != Elsewhere {
		c.state, c.reason, c.since = Elsewhere, "", time.Now()
		c.change()
	}
}

func (c *connection) runLeased(ctx context.Context, until time.Time) {
	running, cancel := context.WithCancel(ctx)
	defer cancel()
	var parts sync.WaitGroup
	parts.Go(func() { c.run(running) })
	defer func() {
		cancel()
		parts.Wait()
		// Another worker is to have it at once, also when this one ends.
		release, done := context.WithTimeout(context.WithoutCancel(ctx), c.o.LeaseTTL)
		defer done()
		if err := c.o.Leases.ReleaseDuty(release, c.duty(), c.o.Worker); err != nil {
			c.log.Warn("the lease of an MCP server is not given back", "error", err)
		}
	}()
	for {
		timer := time.NewTimer(time.Until(until) / 3)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		asked := time.Now()
		asking, done := context.WithDeadline(ctx, until)
		lasts, _, err := c.o.Leases.LeaseDuty(asking, c.duty(), c.o.Worker, c.o.LeaseTTL)
		done()
		switch {
		case lasts > 0:
			until = asked.Add(lasts)
		case err == nil:
			c.log.Warn("an MCP server is stopped here: another worker runs it")
			return
		case time.Now().After(until):
			c.log.Warn("an MCP server is stopped here: its lease could not be renewed", "error", err)
			return
		}
	}
}
