package store

import (
	"context"
	"encoding/json"
	"time"
)

// An MCPServer is the last known state of an MCP server.
type MCPServer struct {
	Name    string
	Worker  string // the worker that reported the state
	Queue   string // the task queue for its calls; empty: every worker reaches it
	State   string
	Reason  string          // why it is down
	Tools   json.RawMessage // the tools that it offers, encoded by package mcpclient
	About   json.RawMessage // other facts for display, encoded by package mcpclient
	Changed time.Time       // when Tools were reported

	Alive      bool      // whether the worker is alive
	AliveUntil time.Time // the end of the worker's lease; zero: the worker has ended
}

// NoteMCPServer stores what a worker reports about a server. If several workers run it, the
// last report counts. A report without tools keeps the stored tools and their time.
func (s *Store) NoteMCPServer(ctx context.Context, m MCPServer) error {
	if string(m.Tools) == "null" || len(m.Tools) == 0 {
		m.Tools = json.RawMessage("[]")
	}
	if len(m.About) == 0 {
		m.About = json.RawMessage("{}")
	}
	return s.writeUrgent(ctx, "", func(t *tx) error {
		_, err := t.Exec(`INSERT INTO mcp_servers (name, worker, queue, state, reason, tools, about, changed) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET worker = excluded.worker, queue = excluded.queue, state = excluded.state, reason = excluded.reason,
			gone = 0, tools = CASE WHEN excluded.tools = '[]' THEN mcp_servers.tools ELSE excluded.tools END, about = excluded.about,
			changed = CASE WHEN excluded.tools = '[]' THEN mcp_servers.changed ELSE excluded.changed END`,
			m.Name, m.Worker, m.Queue, m.State, m.Reason, string(m.Tools), string(m.About), t.now)
		return err
	})
}

// MCPServers returns the known servers, ordered by name.
func (s *Store) MCPServers(ctx context.Context) ([]MCPServer, error) {
	q := s.read(ctx)
	now, err := s.serverNow(q)
	if err != nil {
		return nil, err
	}
	var rows []struct {
		Name, Worker, Queue, State, Reason, Tools, About string
		Changed                                          int64
		HeldUntil                                        int64
	}
	err = q.All(&rows, `SELECT m.name, m.worker, m.queue, m.state, m.reason, m.tools, m.about, m.changed, COALESCE(w.held_until, m.gone) AS held_until
		FROM mcp_servers m LEFT JOIN workers w ON w.id = m.worker ORDER BY m.name`)
	list := make([]MCPServer, len(rows))
	for i, r := range rows {
		list[i] = MCPServer{Name: r.Name, Worker: r.Worker, Queue: r.Queue, State: r.State, Reason: r.Reason,
			Tools: json.RawMessage(r.Tools), About: json.RawMessage(r.About), Changed: at(r.Changed), Alive: r.HeldUntil > now}
		if r.HeldUntil > 0 {
			list[i].AliveUntil = at(r.HeldUntil)
		}
	}
	return list, err
}
