package core

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// A PlacedTask is a task in a tree. Depth counts its callers; Branch sums the task and all below
// it.
type PlacedTask struct {
	Task
	Depth  int
	Branch BranchSum
}

// A BranchSum is the sum of a branch of a tree.
type BranchSum struct {
	Tasks      int     `json:"tasks"`
	Open       int     `json:"open" description:"number of open tasks"`
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

// Tree places each task below its caller, in the order of delegation. Tasks without their parent
// keep their order.
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

// Took returns how long a task took, or has taken so far.
func (t *Task) Took(now time.Time) time.Duration {
	if t.State.Terminal() {
		now = t.Finished
	}
	return max(0, now.Sub(t.Created))
}

// Preview returns the first line of a task's outcome, at most n characters; empty while it is open.
func (t *Task) Preview(n int) string {
	return FirstLine(cmp.Or(t.Result, t.Error), n)
}

// FirstLine returns the first line of a text, at most n characters.
func FirstLine(text string, n int) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return Cut(strings.TrimSpace(line), n)
}
