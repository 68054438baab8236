package service

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"errand"
	"errand/internal/rights"
)

// MCP is the MCP servers whose tools agents can call.
type MCP interface {
	// Servers says how the servers are, by name. The role of a tool is the one that it
	// asks for itself, and who may use it the service fills in.
	Servers() []MCPServer
	// Try calls a tool outside any turn, and returns what a model would read. It fails
	// with [ErrNoMCPTool] where this worker does not run the server, or it has no such
	// tool.
	Try(ctx context.Context, server, tool string, args json.RawMessage) (string, error)
}

// An MCPServer is how a server is.
type MCPServer struct {
	Name        string       `json:"name"`
	Wire        string       `json:"wire" description:"stdio or http"`
	State       string       `json:"state" description:"connecting, connected, down, or elsewhere: another worker runs it"`
	RemoteState string       `json:"remote_state,omitempty" description:"where it is elsewhere: its state at the worker that runs it"`
	Worker      string       `json:"worker,omitempty" description:"that runs it, or is connected to it"`
	Single      bool         `json:"single,omitempty" description:"one worker of the installation runs it"`
	Reason      string       `json:"reason,omitempty" description:"why it is down"`
	Since       time.Time    `json:"since"`
	Says        string       `json:"says,omitempty" description:"name and version that it gives itself"`
	Protocol    string       `json:"protocol,omitempty"`
	Tools       []MCPTool    `json:"tools"`
	LeftOut     []string     `json:"left_out,omitempty" description:"which of its tools are not offered, and why"`
	Unmatched   []string     `json:"unmatched,omitempty" description:"names and patterns in errand.yaml that match none of its tools"`
	Blocked     string       `json:"blocked,omitempty" description:"why none of its tools runs"`
	Failures    []MCPFailure `json:"failures,omitempty" description:"the latest calls that brought no result, the latest first"`
}

// An MCPFailure is a call that brought no result, in errand's words: those of a server may
// repeat what somebody wrote.
type MCPFailure struct {
	At     time.Time `json:"at"`
	Tool   string    `json:"tool"`
	Reason string    `json:"reason"`
	Worker string    `json:"worker,omitempty" description:"that called"`
}

// An MCPTool is a tool of a server.
type MCPTool struct {
	Name        string              `json:"name"`
	Effect      string              `json:"effect"`
	Role        errand.Role         `json:"role" description:"the lowest role of people who may use it"`
	Approval    errand.ApprovalRule `json:"approval" description:"when a call needs approval: always, first or never"`
	Agents      []errand.AgentName  `json:"agents" description:"the agents that may call it"`
	Description string              `json:"description,omitempty" description:"the server's own words"`
}

// ErrNoMCPTool is that there is no such server or tool at this worker.
var ErrNoMCPTool = errors.New("no such MCP tool")

// MCPServers says how the MCP servers are.
func (s *Service) MCPServers(_ context.Context, by Actor) ([]MCPServer, error) {
	if err := s.may(by, rights.MCPRead); err != nil {
		return nil, err
	}
	if s.MCP == nil {
		return []MCPServer{}, nil
	}
	servers := s.MCP.Servers()
	for _, server := range servers {
		for i := range server.Tools {
			s.describe(&server.Tools[i])
		}
	}
	return servers, nil
}

// describe says who may use a tool: by the table of rights, and by the roster.
func (s *Service) describe(t *MCPTool) {
	t.Role, t.Agents = s.Rights.LeastTool(t.Name, t.Role), []errand.AgentName{}
	for _, name := range s.Roster.Names() {
		if agent, _ := s.Roster.Agent(name); agent.MayUse(t.Name) {
			t.Agents = append(t.Agents, name)
		}
	}
}

// TryMCPTool calls a tool of an MCP server.
func (s *Service) TryMCPTool(ctx context.Context, by Actor, server, tool string, args json.RawMessage) (string, error) {
	if err := s.may(by, rights.MCPTry); err != nil {
		return "", err
	}
	if s.MCP == nil {
		return "", noTool(server, tool)
	}
	text, err := s.MCP.Try(ctx, server, tool, args)
	if errors.Is(err, ErrNoMCPTool) {
		return "", noTool(server, tool)
	}
	return text, err
}

func noTool(server, tool string) error {
	return Refuse(KindNotFound, "not_found", "refusal.no_mcp_tool", "server", errand.Cut(server, 40), "tool", errand.Cut(tool, 80))
}
