package mcpclient

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"errand/internal/store"
	"errand/internal/tools"
)

// remoteServers offers the tools of servers that other workers run, because a step may run
// at any worker. Calls go to the queue of the worker that runs the server.
type remoteServers struct {
	o   *Options
	own []*connection

	mu    sync.Mutex
	known map[string]remoteServer
}

type remoteServer struct {
	Status
	changed time.Time // when the worker stored it
	offered bool      // its tools are on offer; those of a dead worker are not
}

func (r *remoteServers) refresh(ctx context.Context, starting bool) error {
	rows, err := r.o.Lists.MCPServers(ctx)
	if err != nil {
		return err
	}
	found := map[string]remoteServer{}
	for _, row := range rows {
		var entries []entry
		if err := json.Unmarshal(row.Tools, &entries); err != nil {
			return fmt.Errorf("tools of the MCP server %s: %w", row.Name, err)
		}
		if i := slices.IndexFunc(r.own, func(c *connection) bool { return c.Name == row.Name }); i >= 0 {
			if err := r.own[i].learn(row, entries, row.Worker != r.o.Worker); err != nil {
				return err
			}
			continue
		}
		switch {
		case row.Queue == "" || starting && row.Worker == r.o.Worker:
		case row.Alive:
			if found[row.Name], err = r.offer(row, entries); err != nil {
				return err
			}
		case !row.AliveUntil.IsZero():
			status, err := remoteStatus(row, nil)
			if err != nil {
				return err
			}
			status.Reason += ": start it again, or name the server in the errand.yaml of another one"
			found[row.Name] = remoteServer{Status: status}
		}
	}
	r.mu.Lock()
	before := r.known
	r.known = found
	r.mu.Unlock()
	for name, s := range before {
		if s.offered && !found[name].offered {
			if err := r.o.Tools.Replace(source(name), nil); err != nil {
				return err
			}
		}
	}
	return nil
}

func (r *remoteServers) offer(row store.MCPServer, entries []entry) (remoteServer, error) {
	status, err := remoteStatus(row, entries)
	if err != nil {
		return remoteServer{}, err
	}
	s := remoteServer{status, row.Changed, true}
	r.mu.Lock()
	before := r.known[row.Name]
	r.mu.Unlock()
	if before.offered && before.changed.Equal(s.changed) {
		return s, nil
	}
	list := make([]tools.Tool, len(entries))
	for i, e := range entries {
		list[i] = e.tool(row.Name, row.Queue, status.timeout)
		list[i].Rank = len(r.own) + 1
		list[i].Run = func(context.Context, store.Call, json.RawMessage) (string, error) {
			return fmt.Sprintf("error: the tool was not run: the MCP server %s is another worker's", row.Name), nil
		}
	}
	if err := r.o.Tools.Replace(source(row.Name), list); err != nil {
		r.o.Logger.Error("the tools of an MCP server of another worker are not offered", "mcp_server", row.Name, "error", err)
	}
	return s, nil
}

func (r *remoteServers) list() []Status {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []Status
	for _, s := range r.known {
		list = append(list, s.Status)
	}
	return list
}

func (r *remoteServers) watch(ctx context.Context) {
	tick := time.NewTicker(r.o.Poll)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if err := r.refresh(ctx, false); err != nil && ctx.Err() == nil {
			r.o.Logger.Warn("the MCP servers of other workers are not known", "error", err)
		}
	}
}
