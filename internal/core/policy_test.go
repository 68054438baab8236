package core_test

import (
	"testing"

	"errand/internal/core"
)

// TestParseVerdict proves what is taken for a verdict.
func TestParseVerdict(t *testing.T) {
	for text, want := range map[string]core.Verdict{"YES": core.Yes, "no": core.No, " Abstain\n": core.Abstain} {
		if got, ok := core.ParseVerdict(text); !ok || got != want {
			t.Errorf("%q is %q, %v; want %q", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "SÍ", "si", "ja", "YES.", "YES, but", "```YES```", "true", "1", "INVALID", "Y"} {
		if got, ok := core.ParseVerdict(text); ok {
			t.Errorf("%q is %q", text, got)
		}
	}
}
