package store

import (
	"context"
	"fmt"

	"errand/internal/core"
)

const a2aPushColumns = `task, id, base, url, token, scheme, credentials`

// PutA2APush stores p and replaces a receiver with the same id. If the task asks a question or has
// ended, a push is due at once. It fails with ErrTooLarge if the task has most other receivers.
func (s *Store) PutA2APush(ctx context.Context, p core.A2APush, most int) error {
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
		if err != nil || !task.State.Terminal() && task.State != core.InputRequired {
			return err
		}
		return t.duePush(&task, p)
	})
}

// A2APushes returns the push receivers of a task, ordered by id.
func (s *Store) A2APushes(ctx context.Context, task core.TaskID) ([]core.A2APush, error) {
	var list []core.A2APush
	err := s.read(ctx).All(&list, `SELECT `+a2aPushColumns+` FROM a2a_pushes WHERE task = ? ORDER BY id`, task)
	return list, err
}

// A2APush returns one push receiver of a task, or ErrNotFound.
func (s *Store) A2APush(ctx context.Context, task core.TaskID, id string) (p core.A2APush, err error) {
	found, err := s.read(ctx).Row(&p, `SELECT `+a2aPushColumns+` FROM a2a_pushes WHERE task = ? AND id = ?`, task, id)
	if err == nil && !found {
		err = fmt.Errorf("receiver of task %s: %w", task, ErrNotFound)
	}
	return p, err
}

// DeleteA2APush deletes a push receiver, if it exists. Pushes that are due to it are not sent.
func (s *Store) DeleteA2APush(ctx context.Context, task core.TaskID, id string) error {
	return s.writeTask(ctx, task, func(t *tx) error {
		_, err := t.Exec(`DELETE FROM a2a_pushes WHERE task = ? AND id = ?`, task, id)
		return err
	})
}

func (t *tx) duePushes(task *core.Task) error {
	var list []core.A2APush
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

func (t *tx) duePush(task *core.Task, p core.A2APush) error {
	_, err := t.Exec(`INSERT INTO webhooks (id, person, task, url, state, created, due, push) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		NewWebhookID(), task.Origin.Person, task.ID, p.URL, core.WebhookDue, t.now, t.now, p.ID)
	return err
}
