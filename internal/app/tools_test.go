package app_test

import (
	"slices"
	"strings"
	"testing"

	"errand/internal/agents"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/texts"
	"errand/internal/tools"
)

// TestDefaultTools proves that each tool of the default agents is there.
func TestDefaultTools(t *testing.T) {
	there := app.ToolNames()
	_, list := agents.Default()
	for _, a := range list {
		for _, name := range a.Tools {
			if !core.IsPattern(name) && !slices.Contains(there, name) {
				t.Errorf("%s has the tool %q, which there is not", a.Name, name)
			}
		}
	}
}

// TestDefaultAgentsHaveEveryTool proves that there is no tool of errand's own that none of
// the default agents has: it would be there, and described, and never called.
func TestDefaultAgentsHaveEveryTool(t *testing.T) {
	_, list := agents.Default()
	for _, tool := range app.ToolNames() {
		if tool == tools.SubmitVerdict { // whose task is to decide something has it
			continue
		}
		if !slices.ContainsFunc(list, func(a agents.Agent) bool { return slices.Contains(a.Tools, tool) }) {
			t.Errorf("no default agent has %s", tool)
		}
	}
}

// TestToolsHaveWords proves that the page of tools says for each built-in tool what it does, in the
// reader's language, and for no other.
func TestToolsHaveWords(t *testing.T) {
	catalog, err := texts.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range app.ToolNames() {
		if !catalog.Has("page.tool." + tool) {
			t.Errorf("%s has no words", tool)
		}
	}
	for _, key := range catalog.Keys() {
		if tool, ok := strings.CutPrefix(key, "page.tool."); ok && !slices.Contains(app.ToolNames(), tool) {
			t.Errorf("%s is for no tool", key)
		}
	}
}
