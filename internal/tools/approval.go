package tools

import (
	"fmt"
	"maps"
	"slices"

	"errand/internal/core"
	"errand/internal/store"
)

// Approvals are the configured approval rules, by tool name or pattern.
type Approvals map[string]core.ApprovalRule

// Rule returns the rule for a tool: that of its name, or else of the longest matching
// pattern. It is never less strict than the tool's own rule.
func (a Approvals) Rule(t Tool) core.ApprovalRule {
	if t.By != store.ByActivity {
		return core.ApproveNever
	}
	rule, named := a[t.Name]
	longest := ""
	for _, pattern := range slices.Sorted(maps.Keys(a)) {
		if !named && core.IsPattern(pattern) && len(pattern) > len(longest) && core.Matches(pattern, t.Name) {
			rule, longest = a[pattern], pattern
		}
	}
	return rule.Stricter(t.Approval)
}

// Check returns an error if there is a rule for a tool of s that cannot wait for approval.
func (a Approvals) Check(s *Set) error {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if t, ok := s.Tool(name); ok && a[name].Asks() && t.By != store.ByActivity {
			return fmt.Errorf("approvals: %s cannot need an approval, because errand runs it itself: remove this rule", name)
		}
	}
	return nil
}

// MayAllowForSession reports whether a person may approve a tool for the rest of the
// session. They may not if later calls could use other content, or if the tool is
// untrusted and has the effect Once.
func (t Tool) MayAllowForSession() bool { return t.Bind == nil && (!t.Untrusted || t.Effect != Once) }
