package store

import (
	"context"
	"fmt"
	"time"

	"errand"
	"errand/internal/store/sqldb"
)

// An A2APush says whom a program wants to be told when its task changes, and what was told
// last.
type A2APush struct {
	Task        errand.TaskID
	ID          string // by which the program knows it
	Version     string // of the protocol
	Base        string // the address by which the program calls errand
	URL         string
	Token       string // that the receiver knows it by; empty: none
	Scheme      string // of the credentials: Bearer or Basic; empty: none
	Credentials string
	State       errand.TaskState // that was told last; empty: none
	Mark        string           // of what was told last
	Attempts    int              // that failed, in a row
	NextAt      int64            // when it may be tried again, in microseconds; see [Store.ClaimA2APush]
}

const a2aPushColumns = `task, id, version, base, url, token, scheme, credentials, state, mark, attempts, next_at`

// PutA2APush keeps p in the place of one of the same id. With ErrTooLarge it refuses when the
// task has most others.
func (s *Store) PutA2APush(ctx context.Context, p A2APush, most int) error {
	return s.writeTask(ctx, p.Task, func(t *tx) error {
		var others int
		if _, err := t.Value(&others, `SELECT COUNT(*) FROM a2a_pushes WHERE task = ? AND id <> ?`, p.Task, p.ID); err != nil {
			return err
		}
		if others >= most {
			return fmt.Errorf("task %s has %d receivers: %w", p.Task, others, ErrTooLarge)
		}
		if _, err := t.Exec(`DELETE FROM a2a_pushes WHERE task = ? AND id = ?`, p.Task, p.ID); err != nil {
			return err
		}
		_, err := t.Exec(`INSERT INTO a2a_pushes (`+a2aPushColumns+`, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			p.Task, p.ID, p.Version, p.Base, p.URL, p.Token, p.Scheme, p.Credentials, p.State, p.Mark, p.Attempts, p.NextAt, t.now)
		return err
	})
}

// A2APushes returns those of a task, by their ids.
func (s *Store) A2APushes(ctx context.Context, task errand.TaskID) ([]A2APush, error) {
	var list []A2APush
	err := s.read(ctx).All(&list, `SELECT `+a2aPushColumns+` FROM a2a_pushes WHERE task = ? ORDER BY id`, task)
	return list, err
}

// DeleteA2APush deletes one, if it is there.
func (s *Store) DeleteA2APush(ctx context.Context, task errand.TaskID, id string) error {
	return s.writeTask(ctx, task, func(t *tx) error {
		_, err := t.Exec(`DELETE FROM a2a_pushes WHERE task = ? AND id = ?`, task, id)
		return err
	})
}

// DueA2APushes returns those whose task may have changed since they were told, and that may
// be tried now: whoever tries one claims it.
func (s *Store) DueA2APushes(ctx context.Context, limit int) ([]A2APush, error) {
	var list []A2APush
	err := s.read(ctx).All(&list, `SELECT `+a2aPushColumns+` FROM a2a_pushes WHERE NOT over AND next_at <= ?
		AND EXISTS (SELECT 1 FROM tasks WHERE tasks.id = a2a_pushes.task AND (tasks.state <> a2a_pushes.state OR tasks.state = 'input_required'))
		ORDER BY next_at, task, id`+sqldb.Limit(limit), micros(s.clock()))
	return list, err
}

// ClaimA2APush gives p to its caller for a while, if nobody has it: whoever is killed
// meanwhile loses it when that is over.
func (s *Store) ClaimA2APush(ctx context.Context, p A2APush, lease time.Duration) (claimed bool, err error) {
	err = s.writeTask(ctx, p.Task, func(t *tx) error {
		n, err := t.Exec(`UPDATE a2a_pushes SET next_at = ? WHERE task = ? AND id = ? AND next_at = ? AND NOT over`,
			micros(s.clock().Add(lease)), p.Task, p.ID, p.NextAt)
		claimed = n > 0
		return err
	})
	return claimed, err
}

// NoteA2APush says what became of one that was claimed: what was told last, how many attempts
// have failed since, and after what time it is tried again. When it is over, it never is.
func (s *Store) NoteA2APush(ctx context.Context, p A2APush, again time.Duration, over bool) error {
	return s.writeTask(ctx, p.Task, func(t *tx) error {
		_, err := t.Exec(`UPDATE a2a_pushes SET state = ?, mark = ?, attempts = ?, next_at = ?, over = ? WHERE task = ? AND id = ?`,
			p.State, p.Mark, p.Attempts, micros(s.clock().Add(again)), over, p.Task, p.ID)
		return err
	})
}
