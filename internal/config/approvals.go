package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"errand/internal/core"
	"errand/internal/rights"
)

func (l *loader) approvals() {
	for name, rule := range l.cfg.Approvals {
		if rule == "" {
			l.cfg.Approvals[name] = core.ApproveNever
		}
		if why := l.unknownTool(name, l.src.Tools); why != "" {
			l.fault(at("approvals", name), "%s", why)
		}
		if rule.Asks() && slices.Contains(l.src.OwnTools, name) {
			l.fault(at("approvals", name), "cannot need an approval, because errand runs this tool itself: remove the rule")
		}
	}
}

// unknownTool says why a name or pattern cannot match a tool; empty: it may match. builtIn
// are the names of built-in tools; nil: not checked. The tools of a server are unknown
// until it has listed them.
func (l *loader) unknownTool(pattern string, builtIn []string) string {
	server, _, dotted := strings.Cut(pattern, ".")
	switch {
	case slices.ContainsFunc(builtIn, func(tool string) bool { return core.Matches(pattern, tool) }):
		return ""
	case dotted && (core.IsPattern(server) || l.servers() == nil || slices.Contains(l.servers(), server)):
		return ""
	case dotted:
		return fmt.Sprintf("there is no MCP server %q in mcp_servers%s", server, hint(server, l.servers()))
	case builtIn == nil:
		return ""
	}
	return fmt.Sprintf("there is no tool %q%s", pattern, hint(pattern, builtIn))
}

// servers returns nil if the store is shared, because other workers may have more servers.
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

// A ToolPattern is a name or pattern of MCP tools in errand.yaml.
type ToolPattern struct {
	Where    string // "approvals", "rights.tools", "agents.otto.tools"
	Pattern  string
	Approval bool
}

// ToolPatterns returns the names and patterns of MCP tools, in order. It omits patterns
// for all servers, because there may be no server.
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
