package mcpclient

import (
	"context"
	"time"

	"errand/internal/duty"
	"errand/internal/store"
)

// holdLeased runs the server for as long as this worker has its lease.
func (c *connection) holdLeased(ctx context.Context) {
	duty.Holder{Duty: store.Duty("mcp:" + c.Name), Worker: c.o.Worker, Leases: c.o.Leases, TTL: c.o.LeaseTTL, Logger: c.log, Do: c.run, StandBy: c.standBy}.Run(ctx)
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
