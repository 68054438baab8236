package service

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/ops"
)

// MCP knows the MCP servers whose tools agents can call.
type MCP interface {
	// Servers returns the servers, sorted by name. A tool's Role is its default minimum role.
	Servers() []api.MCPServer
	// BuiltIn returns errand's own tools, with the agents that may call them.
	BuiltIn() api.MCPServer
	// Try calls a tool outside any turn, and returns what a model would read. It returns
	// [ErrNoMCPTool] if this worker does not run the server, or the server has no such tool.
	Try(ctx context.Context, server, tool string, args json.RawMessage) (string, error)
}

// ErrNoMCPTool means that this worker does not run the server, or the server has no such tool.
var ErrNoMCPTool = errors.New("no such MCP tool")

// MCPServers has the operations on MCP servers.
type MCPServers struct {
	*Env
	roster *agents.Roster
	mcp    MCP // nil: there are none
}

func (m *MCPServers) bind(r *ops.Runner) {
	ops.Bind(r, api.ListMCPServers, m.list)
	ops.Bind(r, api.TryMCPTool, m.try)
}

func (m *MCPServers) list(_ context.Context, _ actor.Actor, in api.ListMCPServersInput) ([]api.MCPServer, error) {
	if m.mcp == nil {
		return []api.MCPServer{}, nil
	}
	servers := m.mcp.Servers()
	for _, server := range servers {
		for i := range server.Tools {
			m.describe(&server.Tools[i])
		}
	}
	if in.BuiltIn {
		own := m.mcp.BuiltIn()
		for i := range own.Tools {
			own.Tools[i].Role = m.Rights.LeastTool(own.Tools[i].Name, own.Tools[i].Role)
		}
		servers = slices.Insert(servers, 0, own)
	}
	return servers, nil
}

func (m *MCPServers) describe(t *api.MCPTool) {
	t.Role, t.Agents = m.Rights.LeastTool(t.Name, t.Role), []core.AgentName{}
	for _, name := range m.roster.Names() {
		if agent, _ := m.roster.Agent(name); agent.MayUse(t.Name) {
			t.Agents = append(t.Agents, name)
		}
	}
}

func (m *MCPServers) try(ctx context.Context, _ actor.Actor, in api.TryMCPToolInput) (out api.TriedMCPTool, err error) {
	if m.mcp == nil {
		return out, noTool(in.Server, in.Body.Tool)
	}
	args := []byte("{}")
	if in.Body.Arguments != nil {
		if args, err = json.Marshal(in.Body.Arguments); err != nil {
			return out, err
		}
	}
	out.Text, err = m.mcp.Try(ctx, in.Server, in.Body.Tool, args)
	if errors.Is(err, ErrNoMCPTool) {
		err = noTool(in.Server, in.Body.Tool)
	}
	return out, err
}

func noTool(server, tool string) error {
	return Refuse(KindNotFound, "not_found", "refusal.no_mcp_tool", "server", core.Cut(server, 40), "tool", core.Cut(tool, 80))
}
