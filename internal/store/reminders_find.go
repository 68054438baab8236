package store

import (
	"context"
	"fmt"
	"iter"
	"time"

	"errand"
)

// A ReminderFilter narrows a list of reminders; zero fields do not.
type ReminderFilter struct {
	Person errand.PersonID
	Key    errand.SessionKey // the conversation that they wake
	After  Position          // in the list
	Limit  int               // default 1000
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

// Reminders returns the reminders that f lets pass: the active ones by when they
// come next, and, with all, then the others, the latest first.
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

// DueReminders returns the reminders that are to come before the given time, the
// first ones first.
func (s *Store) DueReminders(ctx context.Context, before time.Time) iter.Seq2[errand.ReminderID, error] {
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
	return func(yield func(errand.ReminderID, error) bool) {
		for r, err := range due {
			if !yield(errand.ReminderID(r.ID), err) {
				return
			}
		}
	}
}

// FindReminder returns the one reminder that f lets pass whose id begins with
// prefix, which may have its "r-" or not. An active one goes before those that are
// over. ErrNotFound if there is none, ErrAmbiguous with some of them if there are
// several.
func (s *Store) FindReminder(ctx context.Context, prefix string, f ReminderFilter) (Reminder, error) {
	from, to, ok := idsFrom("r-", prefix)
	if !ok {
		return Reminder{}, about(ErrNotFound, "reminder", errand.Cut(prefix, 40))
	}
	where, args := f.where(`id >= ? AND id < ?`, from, to)
	list, err := remindersWhere(s.read(ctx), where+` ORDER BY CASE WHEN state = 'active' THEN 0 ELSE 1 END, id LIMIT 6`, args...)
	switch {
	case err != nil:
		return Reminder{}, err
	case len(list) == 0:
		return Reminder{}, about(ErrNotFound, "reminder", errand.Cut(prefix, 40))
	case len(list) == 1 || string(list[0].ID) == from || list[0].State == ReminderActive && list[1].State != ReminderActive:
		return list[0], nil
	}
	names := make([]string, len(list))
	for i, r := range list {
		names[i] = fmt.Sprintf("%s (%s)", r.ID, errand.Title(r.Text))
	}
	return Reminder{}, &LookupError{"reminder", prefix, names, ErrAmbiguous}
}
