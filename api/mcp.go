package api

import (
	"time"

	"errand/internal/core"
	"errand/internal/rights"
)

// An MCPServer is an MCP server, its state and its tools.
type MCPServer struct {
	Name        string       `json:"name"`
	Wire        string       `json:"wire" description:"stdio, http, or built_in for errand's own tools"`
	State       string       `json:"state" description:"connecting, connected, down, or elsewhere: another worker runs it"`
	RemoteState string       `json:"remote_state,omitempty" description:"if elsewhere: its state on the worker that runs it"`
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
	Failures    []MCPFailure `json:"failures,omitempty" description:"the latest failed calls, latest first"`
}

// An MCPFailure is a call without a result. Reason is errand's text, because the server's own may
// repeat what a person wrote.
type MCPFailure struct {
	At     time.Time `json:"at"`
	Tool   string    `json:"tool"`
	Reason string    `json:"reason"`
	Worker string    `json:"worker,omitempty" description:"that called"`
}

// An MCPTool is a tool of an MCP server.
type MCPTool struct {
	Name        string            `json:"name"`
	Effect      string            `json:"effect"`
	Role        core.Role         `json:"role" description:"the lowest role of people who may use it"`
	Approval    core.ApprovalRule `json:"approval" description:"when a call needs approval: always, first or never"`
	Agents      []core.AgentName  `json:"agents" description:"the agents that may call it"`
	Description string            `json:"description,omitempty" description:"the server's own words"`
}

type ListMCPServersInput struct {
	BuiltIn bool `query:"built_in" description:"true: the list begins with errand's own tools, as a server named errand"`
}

var ListMCPServers = Op[ListMCPServersInput, []MCPServer]{
	Name: "listMCPServers", Needs: rights.MCPRead, Route: "GET /api/mcp",
	About: "List the MCP servers whose tools agents can call, as the answering worker sees them",
}

// An MCPCall is a call of an MCP tool.
type MCPCall struct {
	Tool      string         `json:"tool" required:"true" description:"the server's name of the tool, or the name that agents use"`
	Arguments map[string]any `json:"arguments,omitempty"`
}

type TryMCPToolInput struct {
	Server string `path:"server"`
	Body   MCPCall
}

// A TriedMCPTool is the result of a call.
type TriedMCPTool struct {
	Text string `json:"text" description:"the result as an agent reads it"`
}

var TryMCPTool = Op[TryMCPToolInput, TriedMCPTool]{
	Name: "tryMCPTool", Needs: rights.MCPTry, Route: "POST /api/mcp/{server}/try", Rate: RateMessage,
	About: "Call a tool of an MCP server outside any conversation; the call is real", Answer: "the result as an agent reads it",
}
