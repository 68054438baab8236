package core_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"errand/internal/core"
)

// TestTree proves that every task is in the tree once, below the one that delegated it.
func TestTree(t *testing.T) {
	noon := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	task := func(id, parent string, minute int) core.Task {
		return core.Task{ID: core.TaskID(id), Parent: core.TaskID(parent), Created: noon.Add(time.Duration(minute) * time.Minute)}
	}
	// As lists are: the newest first. The parent of g is not among them.
	tasks := []core.Task{task("g", "z", 9), task("f", "b", 8), task("e", "", 7), task("d", "b", 4), task("c", "a", 3), task("b", "a", 2), task("a", "", 1)}
	var got []string
	for _, b := range core.Tree(tasks) {
		got = append(got, fmt.Sprintf("%d%s", b.Depth, b.ID))
	}
	if want := []string{"0g", "0e", "0a", "1b", "2d", "2f", "1c"}; !slices.Equal(got, want) {
		t.Errorf("the tree is %q, want %q", got, want)
	}
	costly := slices.Clone(tasks)
	for i := range costly {
		costly[i].State, costly[i].Cost, costly[i].Tokens, costly[i].ModelCalls = core.Completed, 1, 10, 2
	}
	costly[1].State = core.Working // f, below b, below a
	sums := map[core.TaskID]core.BranchSum{}
	for _, p := range core.Tree(costly) {
		sums[p.ID] = p.Branch
	}
	if want := (core.BranchSum{Tasks: 5, Open: 1, ModelCalls: 10, Tokens: 50, Cost: 5}); sums["a"] != want {
		t.Errorf("the branch of a is %+v, want %+v", sums["a"], want)
	}
	if want := (core.BranchSum{Tasks: 1, ModelCalls: 2, Tokens: 10, Cost: 1}); sums["e"] != want {
		t.Errorf("the branch of e is %+v, want %+v", sums["e"], want)
	}
	done := core.Task{State: core.Completed, Created: noon, Finished: noon.Add(time.Minute), Result: "\n Two trains. \nMore."}
	if done.Took(noon.Add(time.Hour)) != time.Minute || done.Preview(5) != "Two …" || done.Preview(50) != "Two trains." {
		t.Errorf("it took %s, and came to %q", done.Took(noon.Add(time.Hour)), done.Preview(50))
	}
}
