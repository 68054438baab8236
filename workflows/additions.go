package workflows

import (
	"fmt"
	"slices"
)

// additions keeps track of what was added to a sub-agent's task and that no step has
// taken yet. A signal only wakes: the words, and what is to be taken, are the store's.
type additions struct {
	waiting []int64
	taken   map[int64]bool // their signal may come after the step, for it is sent when the row is committed
}

// came notes that there is a row.
func (a *additions) came(row int64) {
	if !a.taken[row] && !slices.Contains(a.waiting, row) {
		a.waiting = append(a.waiting, row)
	}
}

// begin notes that a step begins, which takes whatever came so far: also for a row that
// is not there nobody waits any longer.
func (a *additions) begin() { a.waiting = nil }

// took notes which rows a step has taken.
func (a *additions) took(rows []int64) {
	if a.taken == nil && len(rows) > 0 {
		a.taken = map[int64]bool{}
	}
	for _, row := range rows {
		a.taken[row] = true
	}
	a.waiting = slices.DeleteFunc(a.waiting, func(row int64) bool { return a.taken[row] })
}

// any reports whether there is something that no step has taken.
func (a *additions) any() bool { return len(a.waiting) > 0 }

// line says how much was added, without its words.
func (a *additions) line() string {
	switch n := len(a.taken); n {
	case 0:
		return ""
	case 1:
		return "1 message was added to it\n\n"
	default:
		return fmt.Sprintf("%d messages were added to it\n\n", n)
	}
}
