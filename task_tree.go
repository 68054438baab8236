package errand

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// A PlacedTask is a task in its place in a tree: Depth is how many of those that delegated it,
// each in turn, stand above it.
type PlacedTask struct {
	Task
	Depth int
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
	var add func(t Task, depth int)
	add = func(t Task, depth int) {
		list = append(list, PlacedTask{t, depth})
		children := below[t.ID]
		slices.SortStableFunc(children, func(a, b Task) int { return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID)) })
		for _, c := range children {
			add(c, depth+1)
		}
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
