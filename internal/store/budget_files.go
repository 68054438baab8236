package store

import (
	"context"
	"time"

	"errand"
)

// FileLimits bound what is kept of what comes with messages, in bytes of one UTC
// day; a zero field does not limit. What is deleted again counts: nobody fills
// the disk by turns.
type FileLimits struct {
	PersonDay int64 // from one person
	Day       int64 // from all
}

// FilesLeft is how many more bytes may come today; negative: there is no bound.
type FilesLeft struct{ Person, All int64 }

// FileLimits returns the bounds of a day.
func (s *Store) FileLimits() FileLimits { return s.limits.Files }

// The bytes of files are in budgets of their own, as tokens.
func fileKeys(person errand.PersonID, now time.Time) (all, persons string) {
	day := now.UTC().Format(time.DateOnly)
	return "files:all:" + day, "files:person:" + string(person) + ":" + day
}

// FilesLeft returns how much more may come with the messages of a person today.
func (s *Store) FilesLeft(ctx context.Context, person errand.PersonID) (FilesLeft, error) {
	left := FilesLeft{Person: -1, All: -1}
	l := s.limits.Files
	if l == (FileLimits{}) {
		return left, nil
	}
	all, persons := fileKeys(person, s.clock())
	var rows []budgetRow
	if err := s.read(ctx).All(&rows, `SELECT key, tokens FROM budgets WHERE key IN (?, ?)`, all, persons); err != nil {
		return left, err
	}
	spent := map[string]int64{}
	for _, r := range rows {
		spent[r.Key] = int64(r.Tokens)
	}
	if l.PersonDay > 0 {
		left.Person = max(0, l.PersonDay-spent[persons])
	}
	if l.Day > 0 {
		left.All = max(0, l.Day-spent[all])
	}
	return left, nil
}

// bookFiles counts what came with a message, or fails with a *[BudgetError] if it
// is too much of a day's.
func (t *tx) bookFiles(m InboxMessage) error {
	l, size := t.s.limits.Files, 0
	for _, a := range m.Attached {
		size += len(a.Data)
	}
	if l == (FileLimits{}) || size == 0 {
		return nil
	}
	all, persons := fileKeys(m.Person, at(t.now))
	rows, err := t.book([]budgetRow{{Key: all, Tokens: size}, {Key: persons, Tokens: size}})
	if err != nil {
		return err
	}
	for _, r := range rows {
		switch spent := int64(r.Tokens); {
		case r.Key == persons && l.PersonDay > 0 && spent > l.PersonDay:
			return &BudgetError{"person_day", "bytes", float64(l.PersonDay)}
		case r.Key == all && l.Day > 0 && spent > l.Day:
			return &BudgetError{"day", "bytes", float64(l.Day)}
		}
	}
	return nil
}
