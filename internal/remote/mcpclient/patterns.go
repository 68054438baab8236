package mcpclient

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"errand/internal/content"
	"errand/internal/core"
)

// A Pattern is a tool name or pattern in errand.yaml. It matches the names that agents see.
type Pattern struct {
	Where    string // its place in errand.yaml, such as "approvals"
	Pattern  string
	Approval bool // it requires approval for calls
}

func (p Pattern) server() string {
	server, _, _ := strings.Cut(p.Pattern, ".")
	return server
}

type misfit struct {
	Unmatched []string `json:"unmatched,omitempty"` // names and patterns that match no listed tool
	// Why the server's tools may not run; empty: they may.
	Blocked string `json:"blocked,omitempty"`
}

func (m misfit) equal(other misfit) bool {
	return m.Blocked == other.Blocked && slices.Equal(m.Unmatched, other.Unmatched)
}

// misfit compares errand.yaml with the tools of a server: remote are the server's names,
// names are those that agents see. An approval rule that matches no tool would protect
// nothing, so it blocks the server.
func (s Server) misfit(patterns []Pattern, remote, names []string) (m misfit) {
	check := func(where, pattern string, known []string, matches bool) {
		if !matches {
			m.Unmatched = append(m.Unmatched, unmatched(where, pattern, "no tool of "+s.Name, known))
		}
	}
	for _, tool := range s.Tools {
		only := Server{Tools: []string{tool}}
		check("tools of mcp_servers", tool, remote, slices.ContainsFunc(remote, only.allowed))
	}
	for _, tool := range slices.Sorted(maps.Keys(s.Effects)) {
		check("effects of mcp_servers", tool, remote, slices.Contains(remote, tool))
	}
	for _, p := range patterns {
		if p.server() != s.Name {
			continue
		}
		matches := p.matchesAny(names)
		check(p.Where, p.Pattern, names, matches)
		if !matches && p.Approval && m.Blocked == "" {
			m.Blocked = fmt.Sprintf("all tools of %s are blocked until errand.yaml is corrected: %s", s.Name, m.Unmatched[len(m.Unmatched)-1])
		}
	}
	return m
}

func (p Pattern) matchesAny(names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return core.Matches(p.Pattern, name) })
}

func unmatched(where, pattern, what string, known []string) string {
	text := fmt.Sprintf("%s: %q matches %s", where, pattern, what)
	if near := content.NearestWord(pattern, known); near != "" {
		text += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return text
}

// unmatchedAnywhere returns nil until every server has listed its tools.
func (s *Servers) unmatchedAnywhere(list []Status) (texts []string) {
	var names []string
	for _, status := range list {
		if len(status.Tools) == 0 && status.State != Connected && status.State != Elsewhere {
			return nil
		}
		for _, tool := range status.Tools {
			names = append(names, tool.Name)
		}
	}
	for _, p := range s.o.Patterns {
		if core.IsPattern(p.server()) && !p.matchesAny(names) {
			texts = append(texts, unmatched(p.Where, p.Pattern, "no tool of any MCP server", names))
		}
	}
	return texts
}

// warnAnywhere logs each unmatched pattern once.
func (s *Servers) warnAnywhere() {
	for _, text := range s.unmatchedAnywhere(s.statuses()) {
		if _, logged := s.warned.LoadOrStore(text, true); !logged {
			s.o.Logger.Warn("errand.yaml names tools that no MCP server has", "unmatched", text)
		}
	}
}
