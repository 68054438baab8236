package mcpclient

import (
	"context"
	"time"

	"errand/internal/elect"
	"errand/internal/store"
)

func (c *connection) holdLeased(ctx context.Context) {
	e := &elect.Elector{Leases: c.o.Leases, Of: store.Duty("mcp:" + c.Name), Owner: c.o.Worker, TTL: c.o.LeaseTTL, Do: c.run, OnStandby: c.standBy, Logger: c.log}
	e.Run(ctx)
}

func (c *connection) standBy() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != Elsewhere {
		c.state, c.reason, c.since = Elsewhere, "", time.Now()
		c.change()
	}
}
