package mcpclient

import (
	"context"
	"time"

	"errand/internal/elect"
	"errand/internal/store"
)

// holdLeased runs the server for as long as this worker has its lease.
func (c *connection) holdLeased(ctx context.Context) {
	e := &elect.Elector{Leases: c.o.Leases, Of: store.Duty("mcp:" + c.Name), Owner: c.o.Worker, TTL: c.o.LeaseTTL, Do: c.run, OnStandby: c.standBy, Logger: c.log}
	e.Run(ctx)
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
