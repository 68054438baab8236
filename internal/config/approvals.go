package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"errand"
	"errand/internal/rights"
)

func (l *loader) approvals() {
	for name, rule := range l.cfg.Approvals {
		if rule == "" {
			l.cfg.Approvals[name] = errand.ApproveNever
		}
		if why := l.unknownTool(name, l.src.Tools); why != "" {
			l.fault(at("approvals", name), "%s", why)
		}
	}
}

// unknownTool says why a name or pattern can match no tool; empty: it may match one.
// builtIn are the names without a server; nil: they are not checked. The tools of a server
// are known only when it has listed them.
func (l *loader) unknownTool(pattern string, builtIn []string) string {
	server, _, dotted := strings.Cut(pattern, ".")
	switch {
	case slices.ContainsFunc(builtIn, func(tool string) bool { return errand.Matches(pattern, tool) }):
		return ""
	case dotted && (errand.IsPattern(server) || l.servers() == nil || slices.Contains(l.servers(), server)):
		return ""
	case dotted:
		return fmt.Sprintf("there is no MCP server %q%s", server, hint(server, l.servers()))
	case builtIn == nil:
		return ""
	}
	return fmt.Sprintf("there is no tool %q%s", pattern, hint(pattern, builtIn))
}

// servers are the names of the MCP servers; nil: other workers of the installation may
// have more.
func (l *loader) servers() []string {
	if l.cfg.DatabaseURL != "" {
		return nil
	}
	names := []string{}
	for _, s := range l.cfg.MCPServers {
		names = append(names, s.Name)
	}
	return names
}

// A ToolPattern is a name or pattern of tools of MCP servers in errand.yaml.
type ToolPattern struct {
	Where    string // "approvals", "rights.tools", "agents.otto.tools"
	Pattern  string
	Approval bool // it makes calls wait for a yes
}

// ToolPatterns returns the names and patterns of tools of MCP servers, in order. A pattern
// for the tools of every server is none of them: there may be no server.
func (c *Config) ToolPatterns() []ToolPattern {
	var list []ToolPattern
	add := func(p ToolPattern) {
		if strings.Contains(p.Pattern, ".") && strings.Trim(p.Pattern, "*.") != "" {
			list = append(list, p)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.Approvals)) {
		add(ToolPattern{Where: "approvals", Pattern: name, Approval: c.Approvals[name].Asks()})
	}
	for _, r := range c.Rights.Rules() {
		if r.Kind == rights.Tool {
			add(ToolPattern{Where: "rights.tools", Pattern: r.Name})
		}
	}
	for _, name := range c.Roster.Names() {
		agent, _ := c.Roster.Agent(name)
		for _, tool := range agent.Tools {
			add(ToolPattern{Where: "agents." + string(name) + ".tools", Pattern: tool})
		}
	}
	return list
}
