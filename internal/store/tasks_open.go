package store

import (
	"errors"

	"errand/internal/core"
)

// mayOpenTask fails with ErrTooManyTasks, and with a [*BudgetError] if no budget is left for a
// first call.
func (t *tx) mayOpenTask(o core.Origin) error {
	most := t.s.limits.OpenTasks
	if most > 0 && o.Person != "" {
		// Locked, because another conversation of the person may open a task at the same time.
		if err := t.Lock("tasks of " + string(o.Person)); err != nil {
			return err
		}
		var n int
		if _, err := t.Value(&n, `SELECT COUNT(*) FROM tasks WHERE person = ? AND `+open, o.Person); err != nil {
			return err
		}
		if n >= most {
			return ErrTooManyTasks
		}
	}
	for _, key := range budgetKeys(o.Root, o.Person, at(t.now)) {
		var row budgetRow
		if _, err := t.Row(&row, `SELECT key, calls, tokens, cost, cached, reserved_calls, reserved_tokens, reserved_cost FROM budgets WHERE key = ?`, key); err != nil {
			return err
		}
		row.Calls++ // the task's first call
		if err := t.s.limits.exceeded(row, o.Root); err != nil {
			return err
		}
	}
	return nil
}

func taskRefusal(err error) string {
	var budget *BudgetError
	switch {
	case errors.Is(err, ErrTooManyTasks):
		return "Too many tasks are running."
	case errors.As(err, &budget):
		return budget.Error()
	}
	return ""
}
