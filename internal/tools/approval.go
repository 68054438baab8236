package tools

import (
	"fmt"
	"maps"
	"slices"

	"errand"
	"errand/internal/store"
)

// Approvals are the rules by which tools wait for a yes, by the names of tools or patterns
// of such: as an operator writes them.
type Approvals map[string]errand.ApprovalRule

// Rule returns the rule of a tool: the one for its name, or else for the longest pattern that
// stands for it, and never less than what the tool asks for itself.
func (a Approvals) Rule(t Tool) errand.ApprovalRule {
	if t.By != store.ByActivity {
		return errand.ApproveNever
	}
	rule, named := a[t.Name]
	longest := ""
	for _, pattern := range slices.Sorted(maps.Keys(a)) {
		if !named && errand.IsPattern(pattern) && len(pattern) > len(longest) && errand.Matches(pattern, t.Name) {
			rule, longest = a[pattern], pattern
		}
	}
	return rule.Stricter(t.Approval)
}

// Check says which rule is for a tool of s that cannot wait for a yes.
func (a Approvals) Check(s *Set) error {
	for _, name := range slices.Sorted(maps.Keys(a)) {
		if t, ok := s.Tool(name); ok && a[name].Asks() && t.By != store.ByActivity {
			return fmt.Errorf("approvals: %s cannot wait for a yes: errand carries it out itself, with the step that asks for it", name)
		}
	}
	return nil
}

// MayAllowForSession reports whether a person may allow a tool until the session is over. They
// may not if a later call may use other content, or if it is an untrusted server's once tool.
func (t Tool) MayAllowForSession() bool { return t.Bind == nil && (!t.Untrusted || t.Effect != Once) }
