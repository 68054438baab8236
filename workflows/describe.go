package workflows

import (
	"fmt"
	"slices"
	"strings"
)

func (w *waits) line() string {
	if len(w.open) == 0 {
		return "no open tasks"
	}
	ids := make([]string, len(w.open))
	for i, id := range w.open {
		ids[i] = "`" + string(id) + "`"
		if slices.Contains(w.waiting, id) {
			ids[i] += " (waits for it)"
		}
	}
	what := "open tasks: "
	if len(questions(w.open)) > 0 {
		what = "open tasks and questions: "
	}
	return what + strings.Join(ids, ", ")
}

func spent(tokens int, cost float64) string {
	return fmt.Sprintf("%d tokens, %.4f USD so far", tokens, cost)
}
