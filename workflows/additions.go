package workflows

import (
	"fmt"
	"slices"
)

// additions are messages that were added to the task. A signal only brings the number of the row;
// the store has the text.
type additions struct {
	waiting []int64
	taken   map[int64]bool // by a step. Their signals may come later, because they are sent after the commit
}

func (a *additions) came(row int64) {
	if !a.taken[row] && !slices.Contains(a.waiting, row) {
		a.waiting = append(a.waiting, row)
	}
}

// begin forgets all waiting rows, because a turn reads every row of the store. Some may have been
// deleted.
func (a *additions) begin() { a.waiting = nil }

func (a *additions) took(rows []int64) {
	if a.taken == nil && len(rows) > 0 {
		a.taken = map[int64]bool{}
	}
	for _, row := range rows {
		a.taken[row] = true
	}
	a.waiting = slices.DeleteFunc(a.waiting, func(row int64) bool { return a.taken[row] })
}

func (a *additions) any() bool { return len(a.waiting) > 0 }

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
