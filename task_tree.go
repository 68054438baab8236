package errand

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// A PlacedTask is a task in its place in a tree: Depth is how many of those that delegated it,
// each in turn, stand above it, and Branch is what it and all below it have come to.
type PlacedTask struct {
	Task
	Depth  int
	Branch BranchSum
}

// A BranchSum counts the tasks of a branch of a tree, with what they have used.
type BranchSum struct {
	Tasks      int     `json:"tasks"`
	Open       int     `json:"open" description:"those that are not over"`
	ModelCalls int     `json:"model_calls"`
	Tokens     int     `json:"tokens"`
	Cost       float64 `json:"cost" description:"USD"`
}

func (s *BranchSum) add(o BranchSum) {
	s.Tasks += o.Tasks
	s.Open += o.Open
	s.ModelCalls += o.ModelCalls
	s.Tokens += o.Tokens
	s.Cost += o.Cost
}

func branchOf(t *Task) BranchSum {
	sum := BranchSum{Tasks: 1, ModelCalls: t.ModelCalls, Tokens: t.Tokens, Cost: t.Cost}
	if !t.State.Terminal() {
		sum.Open = 1
	}
	return sum
}

// Tree orders tasks so that each stands below the one that delegated it, in the order in
// which they were delegated. Those whose parent is not among them keep their order.
func Tree(tasks []Task) []PlacedTask {
	there := map[TaskID]bool{}
	for _, t := range tasks {
		there[t.ID] = true
	}
	below := map[TaskID][]Task{}
	var tops []Task
	for _, t := range tasks {
		if t.Parent != "" && t.Parent != t.ID && there[t.Parent] {
			below[t.Parent] = append(below[t.Parent], t)
		} else {
			tops = append(tops, t)
		}
	}
	list := make([]PlacedTask, 0, len(tasks))
	var add func(t Task, depth int) BranchSum
	add = func(t Task, depth int) BranchSum {
		at, sum := len(list), branchOf(&t)
		list = append(list, PlacedTask{Task: t, Depth: depth})
		children := below[t.ID]
		slices.SortStableFunc(children, func(a, b Task) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
		for _, c := range children {
			sum.add(add(c, depth+1))
		}
		list[at].Branch = sum
		return sum
	}
	for _, t := range tops {
		add(t, 0)
	}
	return list
}

// Took is how long a task was worked on, or has been so far.
func (t *Task) Took(now time.Time) time.Duration {
	if t.State.Terminal() {
		now = t.Finished
	}
	return max(0, now.Sub(t.Created))
}

// Preview is the first line of what became of a task, of at most n characters; empty
// while it is open.
func (t *Task) Preview(n int) string {
	return FirstLine(cmp.Or(t.Result, t.Error), n)
}

// FirstLine is the first line of a text, of at most n characters.
func FirstLine(text string, n int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return Cut(strings.TrimSpace(line), n)
}
