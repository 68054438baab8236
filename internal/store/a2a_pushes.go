package store

import (
	"context"
	"fmt"

	"errand"
)

// An A2APush is whom a program wants to be told of a task: when it asks something, and when it
// has ended.
type A2APush struct {
	Task        errand.TaskID
	ID          string // by which the program knows it
	Base        string // the address by which the program calls errand
	URL         string
	Token       string // by which the receiver knows what is sent; empty: none
	Scheme      string // of the credentials: Bearer or Basic; empty: none
	Credentials string
}

const a2aPushColumns = `task, id, base, url, token, scheme, credentials`

// PutA2APush keeps p in the place of one of the same id. Of a task that asks, or has ended, it
// is told at once. With ErrTooLarge it refuses when the task has most others.
func (s *Store) PutA2APush(ctx context.Context, p A2APush, most int) error {
	return s.writeTask(ctx, p.Task, func(t *tx) error {
		task, err := taskByID(t, p.Task)
		if err != nil {
			return err
		}
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
		_, err = t.Exec(`INSERT INTO a2a_pushes (`+a2aPushColumns+`, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
			p.Task, p.ID, p.Base, p.URL, p.Token, p.Scheme, p.Credentials, t.now)
		if err != nil || !task.State.Terminal() && task.State != errand.InputRequired {
			return err
		}
		return t.duePush(&task, p)
	})
}

// A2APushes returns those of a task, by their ids.
func (s *Store) A2APushes(ctx context.Context, task errand.TaskID) ([]A2APush, error) {
	var list []A2APush
	err := s.read(ctx).All(&list, `SELECT `+a2aPushColumns+` FROM a2a_pushes WHERE task = ? ORDER BY id`, task)
	return list, err
}

// A2APush returns one of a task, or ErrNotFound.
func (s *Store) A2APush(ctx context.Context, task errand.TaskID, id string) (p A2APush, err error) {
	found, err := s.read(ctx).Row(&p, `SELECT `+a2aPushColumns+` FROM a2a_pushes WHERE task = ? AND id = ?`, task, id)
	if err == nil && !found {
		err = fmt.Errorf("receiver of task %s: %w", task, ErrNotFound)
	}
	return p, err
}

// DeleteA2APush deletes one, if it is there: what is due to it is not sent any more.
func (s *Store) DeleteA2APush(ctx context.Context, task errand.TaskID, id string) error {
	return s.writeTask(ctx, task, func(t *tx) error {
		_, err := t.Exec(`DELETE FROM a2a_pushes WHERE task = ? AND id = ?`, task, id)
		return err
	})
}

func (t *tx) duePushes(task *errand.Task) error {
	var list []A2APush
	if err := t.All(&list, `SELECT `+a2aPushColumns+` FROM a2a_pushes WHERE task = ? ORDER BY id`, task.ID); err != nil {
		return err
	}
	for _, p := range list {
		if err := t.duePush(task, p); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) duePush(task *errand.Task, p A2APush) error {
	_, err := t.Exec(`INSERT INTO webhooks (id, person, task, url, state, created, due, push) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		NewWebhookID(), task.Origin.Person, task.ID, p.URL, WebhookDue, t.now, t.now, p.ID)
	return err
}
