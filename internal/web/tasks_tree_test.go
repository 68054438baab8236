package web

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"errand"
)

// TestTaskTrees proves that a list of trees says of each task where it stands, and what its
// branch came to; that it cuts what is long; and that the filters reach whoever looks.
func TestTaskTrees(t *testing.T) {
	m := &memory{}
	server := serve(t, m, nil)
	m.tasks = map[errand.TaskID]errand.Task{
		"t-22222222": {ID: "t-22222222", State: errand.Completed, Agents: []errand.AgentName{"sasha"}, Cost: 1, Result: strings.Repeat("é", 700)},
		"t-33333333": {ID: "t-33333333", State: errand.Working, Agents: []errand.AgentName{"finn"}, Cost: 2, Parent: "t-22222222"},
	}
	status, raw := request(t, server, http.MethodGet, "/api/tasks?tree=true&agent=finn&q=blue+train&before=2026-11-23", "", nil)
	var list []struct {
		ID, Result string
		Level      *int
		Matches    *bool
		Branch     *errand.BranchSum
	}
	if err := json.Unmarshal([]byte(raw), &list); err != nil || status != http.StatusOK || len(list) != 2 {
		t.Fatalf("the trees are %d %s (%v)", status, raw, err)
	}
	top, below := list[0], list[1]
	if top.ID != "t-22222222" || *top.Level != 0 || !*top.Matches || top.Branch.Cost != 3 || top.Branch.Open != 1 || len([]rune(top.Result)) != longestInTree {
		t.Errorf("the first is %+v", top)
	}
	if below.ID != "t-33333333" || *below.Level != 1 || below.Branch.Cost != 2 {
		t.Errorf("below it is %+v", below)
	}
	if !strings.Contains(strings.Join(m.asked, "\n"), "finn blue train") {
		t.Errorf("looked for is %q", m.asked)
	}
	if _, raw := request(t, server, http.MethodGet, "/api/tasks", "", nil); strings.Contains(raw, `"level"`) || !strings.Contains(raw, strings.Repeat("é", 700)) {
		t.Error("a list without trees is another than it was")
	}
}
