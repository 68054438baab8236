package store

import (
	"context"
	"encoding/json"
	"time"
)

// An MCPServer is an MCP server as the worker that runs it saw it last.
type MCPServer struct {
	Name    string
	Worker  string // that wrote this
	Queue   string // on which its calls are taken; empty: every worker reaches it
	State   string
	Reason  string          // why it is down
	Tools   json.RawMessage // what it offers; package mcpclient knows what is in it
	About   json.RawMessage // what else other workers show of it; package mcpclient knows that, too
	Changed time.Time       // when Tools were noted

	Alive      bool      // the worker is
	AliveUntil time.Time // at least, or at most where it is gone; zero: it has ended, and nothing is kept of it
}

// NoteMCPServer keeps what a worker knows of a server. Of several workers that run it the
// last one counts. Without tools those that are known stay, and so does since when they are.
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
			tools = CASE WHEN excluded.tools = '[]' THEN mcp_servers.tools ELSE excluded.tools END, about = excluded.about,
			changed = CASE WHEN excluded.tools = '[]' THEN mcp_servers.changed ELSE excluded.changed END`,
			m.Name, m.Worker, m.Queue, m.State, m.Reason, string(m.Tools), string(m.About), t.now)
		return err
	})
}

// MCPServers returns what the workers know of the servers, by name.
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
	err = q.All(&rows, `SELECT m.name, m.worker, m.queue, m.state, m.reason, m.tools, m.about, m.changed, COALESCE(w.held_until, 0) AS held_until
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
