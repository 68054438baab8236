package cli_test

import (
	"strings"
	"testing"

	"errand/internal/app"
)

// TestServeReturnsAnExitCode proves what a script learns of a start that failed.
func TestServeReturnsAnExitCode(t *testing.T) {
	t.Chdir(t.TempDir())
	for args, want := range map[string]int{"-h": 0, "-nonsense": 2, "now": 1, "-config none.yaml": 1} {
		if got := app.Main("worker", strings.Fields(args)); got != want {
			t.Errorf("%q: %d, want %d", args, got, want)
		}
	}
}
