package config

import (
	"slices"
	"strings"

	"errand"
)

// approvals reads which tools wait for a person's yes, by their names or by patterns.
// Tools of MCP servers may come while errand runs.
func (l *loader) approvals(m *mapping) {
	if m == nil {
		return
	}
	l.cfg.Approvals = map[string]errand.ApprovalRule{}
	for _, name := range m.names {
		rule := errand.ApproveNever
		choice(m, name, &rule, errand.ApprovalRules()...)
		l.cfg.Approvals[name] = rule
		if !strings.Contains(name, ".") && !errand.IsPattern(name) && l.src.Tools != nil && !slices.Contains(l.src.Tools, name) {
			m.fault(m.lineOf(name), name, "there is no tool %q%s", name, didYouMean(name, l.src.Tools))
		}
	}
	m.done()
}
