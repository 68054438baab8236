package mcpclient

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"errand"
	"errand/internal/nearest"
)

// A Pattern is a name or pattern of tools in errand.yaml, by the names that agents see.
type Pattern struct {
	Where    string // in errand.yaml, such as "approvals"
	Pattern  string
	Approval bool // it makes calls wait for a yes
}

func (p Pattern) server() string {
	server, _, _ := strings.Cut(p.Pattern, ".")
	return server
}

// A misfit is what errand.yaml says about a server that its list of tools contradicts.
type misfit struct {
	Unmatched []string `json:"unmatched,omitempty"` // names and patterns that match none of the listed tools
	Blocked   string   `json:"blocked,omitempty"`   // why no tool of the server runs; empty: they run
}

func (m misfit) equal(other misfit) bool {
	return m.Blocked == other.Blocked && slices.Equal(m.Unmatched, other.Unmatched)
}

// misfit compares errand.yaml with the tools that a server lists: remote by its own names,
// names as agents see them. An approval that matches none of them would protect nothing, so
// it blocks the server.
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
	return slices.ContainsFunc(names, func(name string) bool { return errand.Matches(p.Pattern, name) })
}

func unmatched(where, pattern, what string, known []string) string {
	text := fmt.Sprintf("%s: %q matches %s", where, pattern, what)
	if near := nearest.Word(pattern, known); near != "" {
		text += fmt.Sprintf(" (did you mean %q?)", near)
	}
	return text
}

// unmatchedAnywhere returns the patterns for tools of several servers that match no tool of
// any server in list. There are none before every server here has listed its tools.
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
		if errand.IsPattern(p.server()) && !p.matchesAny(names) {
			texts = append(texts, unmatched(p.Where, p.Pattern, "no tool of any MCP server", names))
		}
	}
	return texts
}

// warnAnywhere logs, once, the patterns that match no tool of any server.
func (s *Servers) warnAnywhere() {
	for _, text := range s.unmatchedAnywhere(s.statuses()) {
		if _, logged := s.warned.LoadOrStore(text, true); !logged {
			s.o.Logger.Warn("errand.yaml names tools that no MCP server has", "unmatched", text)
		}
	}
}
