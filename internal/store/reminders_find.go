package store

import (
	"context"
	"fmt"
	"iter"
	"time"

	"errand/internal/core"
)

// A ReminderFilter selects reminders. A zero field does not filter.
type ReminderFilter struct {
	Person core.PersonID
	Key    core.SessionKey
	After  Position
	Limit  int // default 1000
}

func (f ReminderFilter) where(where string, args ...any) (string, []any) {
	if f.Person != "" {
		where, args = where+` AND person = ?`, append(args, f.Person)
	}
	if f.Key != "" {
		where, args = where+` AND session_key = ?`, append(args, f.Key)
	}
	return where, args
}

// Reminders returns the active reminders by their next time and, with all, then the others, the
// latest first.
func (s *Store) Reminders(ctx context.Context, f ReminderFilter, all bool) ([]Reminder, error) {
	state := `state = 'active'`
	if all {
		state = `TRUE`
	}
	where, args := f.where(state)
	behind, values, err := reminderOrder.behind(f.After)
	if err != nil {
		return nil, err
	}
	return remindersWhere(s.read(ctx), where+" AND "+behind+reminderOrder.by()+" LIMIT ?", append(append(args, values...), orDefault(f.Limit, 1000))...)
}

// DueReminders returns the reminders due before a time, the earliest first.
func (s *Store) DueReminders(ctx context.Context, before time.Time) iter.Seq2[core.ReminderID, error] {
	type row struct {
		ID   string
		Next int64
	}
	due := paginate(func(after *row) ([]row, error) {
		if after == nil {
			after = &row{Next: -1}
		}
		var rows []row
		err := s.read(ctx).All(&rows, `SELECT id, next FROM reminders WHERE state = 'active' AND next < ? AND (next, id) > (?, ?)
			ORDER BY next, id LIMIT ?`, micros(before), after.Next, after.ID, pageRows)
		return rows, err
	})
	return func(yield func(core.ReminderID, error) bool) {
		for r, err := range due {
			if !yield(core.ReminderID(r.ID), err) {
				return
			}
		}
	}
}

// FindReminder returns the one matching reminder whose id begins with prefix, with or without
// "r-". A single active match wins over ended ones. It fails with ErrNotFound or with
// ErrAmbiguous, which names some of them.
func (s *Store) FindReminder(ctx context.Context, prefix string, f ReminderFilter) (Reminder, error) {
	from, to, ok := idsFrom("r-", prefix)
	if !ok {
		return Reminder{}, about(ErrNotFound, "reminder", core.Cut(prefix, 40))
	}
	where, args := f.where(`id >= ? AND id < ?`, from, to)
	list, err := remindersWhere(s.read(ctx), where+` ORDER BY CASE WHEN state = 'active' THEN 0 ELSE 1 END, id LIMIT 6`, args...)
	switch {
	case err != nil:
		return Reminder{}, err
	case len(list) == 0:
		return Reminder{}, about(ErrNotFound, "reminder", core.Cut(prefix, 40))
	case len(list) == 1 || string(list[0].ID) == from || list[0].State == core.ReminderActive && list[1].State != core.ReminderActive:
		return list[0], nil
	}
	names := make([]string, len(list))
	for i, r := range list {
		names[i] = fmt.Sprintf("%s (%s)", r.ID, core.Title(r.Text))
	}
	return Reminder{}, &LookupError{"reminder", prefix, names, ErrAmbiguous}
}
