package core_test

import (
	"testing"

	"errand/internal/core"
)

// TestMatches proves what a pattern of tools stands for.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"recall", "recall", true},
		{"recall", "recalls", false},
		{"*", "recall", true},
		{"*", "github.create_issue", true},
		{"*.*", "github.create_issue", true},
		{"*.*", "recall", false},
		{"github.*", "github.create_issue", true},
		{"github.*", "github", false},
		{"github.*", "githubs.create_issue", false},
		{"github.*_issue", "github.create_issue", true},
		{"github.*_issue", "github.create_issues", false},
		{"github.*a*b", "github.xaxb", true},
		{"github.*a*b", "github.xbxa", false},
		{"a*a", "a", false},
		{"", "", true},
		{"", "x", false},
	} {
		if got := core.Matches(c.pattern, c.name); got != c.want {
			t.Errorf("Matches(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
}
