package store

import (
	"context"
	"time"

	"errand/internal/core"
)

// FileLimits bound the bytes of attachments that are stored per UTC day. A zero field does not
// limit. Deleted files count, so deleting does not allow more uploads.
type FileLimits struct {
	PersonDay int64 // from one person
	Day       int64 // from all
}

// FilesLeft is how many more bytes may be stored today; negative: no limit.
type FilesLeft struct{ Person, All int64 }

// The bytes of files have budgets of their own, counted in the tokens column.
func fileKeys(person core.PersonID, now time.Time) (all, persons string) {
	day := now.UTC().Format(time.DateOnly)
	return "files:all:" + day, "files:person:" + string(person) + ":" + day
}

// FilesLeft returns how many more bytes a person's messages may bring today.
func (s *Store) FilesLeft(ctx context.Context, person core.PersonID) (FilesLeft, error) {
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
