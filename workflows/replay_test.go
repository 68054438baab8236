package workflows_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/worker"

	"errand/workflows"
)

// TestReplay proves that workflows which began with an earlier version go on
// with this one. The histories come from a real server: go test ./internal/app
// -run TestRecord -record.
func TestReplay(t *testing.T) {
	files, err := filepath.Glob("testdata/replay/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	of := map[string]int{}
	for _, path := range files {
		kind, _, _ := strings.Cut(filepath.Base(path), "-")
		of[kind]++
		t.Run(strings.TrimPrefix(path, "testdata/replay/"), func(t *testing.T) {
			f, err := os.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			history, err := client.HistoryFromJSON(f, client.HistoryJSONOptions{})
			if err != nil {
				t.Fatal(err)
			}
			replayer := worker.NewWorkflowReplayer()
			workflows.Register(replayer)
			if err := replayer.ReplayWorkflowHistory(nil, history); err != nil {
				t.Error(err)
			}
		})
	}
	for _, kind := range []string{"session", "delegation", "subagent", "outbox", "reminder", "maintenance"} {
		if of[kind] == 0 {
			t.Errorf("there is no history of a %s", kind)
		}
	}
}
