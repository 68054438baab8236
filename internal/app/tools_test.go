package app_test

import (
	"slices"
	"testing"

	"errand"
	"errand/internal/agents"
	"errand/internal/app"
)

// TestDefaultTools proves that each tool of the default agents is there.
func TestDefaultTools(t *testing.T) {
	there := app.ToolNames()
	_, list := agents.Default()
	for _, a := range list {
		for _, name := range a.Tools {
			if !errand.IsPattern(name) && !slices.Contains(there, name) {
				t.Errorf("%s has the tool %q, which there is not", a.Name, name)
			}
		}
	}
}
