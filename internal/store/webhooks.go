package store

import (
	"context"
	"iter"
	"time"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

// NewWebhookID returns a new random id.
func NewWebhookID() string { return "w-" + core.ShortID(12) }

func (t *tx) addWebhook(url string, task *core.Task) error {
	if url == "" {
		return nil
	}
	_, err := t.Exec(`INSERT INTO webhooks (id, person, task, url, state, created) VALUES (?, ?, ?, ?, ?, ?)`,
		NewWebhookID(), task.Origin.Person, task.ID, url, core.WebhookWaiting, t.now)
	return err
}

func (t *tx) dueWebhooks(task core.TaskID) error {
	_, err := t.Exec(`UPDATE webhooks SET state = 'due', due = ? WHERE task = ? AND state = 'waiting'`, t.now, task)
	return err
}

type webhookRow struct {
	ID, Person, Task, URL, Push, State, Error string
	Attempts                                  int
	Created, Due, Ended                       int64
}

const webhookColumns = `id, person, task, url, push, state, attempts, error, created, due, ended`

func (r webhookRow) webhook() core.Webhook {
	return core.Webhook{ID: r.ID, Person: core.PersonID(r.Person), Task: core.TaskID(r.Task), URL: r.URL, Push: r.Push, State: core.WebhookState(r.State),
		Attempts: r.Attempts, Error: r.Error, Created: at(r.Created), Due: at(r.Due), Ended: at(r.Ended)}
}

func webhooksWhere(q sqldb.Querier, where string, args ...any) ([]core.Webhook, error) {
	var rows []webhookRow
	if err := q.All(&rows, `SELECT `+webhookColumns+` FROM webhooks WHERE `+where, args...); err != nil {
		return nil, err
	}
	list := make([]core.Webhook, len(rows))
	for i, r := range rows {
		list[i] = r.webhook()
	}
	return list, nil
}

// Webhook returns a webhook by its id, or ErrNotFound.
func (s *Store) Webhook(ctx context.Context, id string) (core.Webhook, error) {
	list, err := webhooksWhere(s.read(ctx), `id = ?`, id)
	if err == nil && len(list) == 0 {
		err = about(ErrNotFound, "webhook", core.Cut(id, 60))
	}
	if err != nil {
		return core.Webhook{}, err
	}
	return list[0], nil
}

// Webhooks returns the webhooks of a person, or of all people if person is empty, newest first.
func (s *Store) Webhooks(ctx context.Context, person core.PersonID, p Page) ([]core.Webhook, error) {
	where, args := `TRUE`, []any{}
	if person != "" {
		where, args = `person = ?`, append(args, person)
	}
	behind, values, err := newestFirst.behind(p.After)
	if err != nil {
		return nil, err
	}
	return webhooksWhere(s.read(ctx), where+" AND "+behind+newestFirst.by()+" LIMIT ?", append(append(args, values...), orDefault(p.Limit, 100))...)
}

// DueWebhooks returns the ids of the webhooks that are due for an ended task.
func (s *Store) DueWebhooks(ctx context.Context, task core.TaskID) ([]string, error) {
	var ids []string
	err := s.read(ctx).All(&ids, `SELECT id FROM webhooks WHERE task = ? AND state = 'due' ORDER BY id`, task)
	return ids, err
}

// A DueWebhook is a webhook to send, and its person.
type DueWebhook struct {
	ID     string
	Person core.PersonID
}

// AllDueWebhooks yields the webhooks that were due before a time.
func (s *Store) AllDueWebhooks(ctx context.Context, before time.Time) iter.Seq2[DueWebhook, error] {
	return paginate(func(after *DueWebhook) ([]DueWebhook, error) {
		if after == nil {
			after = &DueWebhook{}
		}
		var due []DueWebhook
		err := s.read(ctx).All(&due, `SELECT id, person FROM webhooks WHERE state = 'due' AND due < ? AND id > ? ORDER BY id LIMIT ?`, micros(before), after.ID, pageRows)
		return due, err
	})
}

// NoteWebhookTried records an attempt, unless the webhook has ended. state says whether it was
// sent, is due again, or has failed at the last attempt.
func (s *Store) NoteWebhookTried(ctx context.Context, id string, state core.WebhookState, reason string) error {
	return s.write(ctx, "webhook "+id, func(t *tx) error {
		ended := t.now
		if state == core.WebhookDue {
			ended = 0
		}
		_, err := t.Exec(`UPDATE webhooks SET attempts = attempts + 1, error = ?, state = ?, ended = ? WHERE id = ? AND state = 'due'`,
			core.Cut(printable(reason), 300), state, ended, id)
		return err
	})
}

// GiveWebhookUp marks a due webhook as failed.
func (s *Store) GiveWebhookUp(ctx context.Context, id string) error {
	return s.write(ctx, "webhook "+id, func(t *tx) error {
		_, err := t.Exec(`UPDATE webhooks SET state = 'failed', ended = ? WHERE id = ? AND state = 'due'`, t.now, id)
		return err
	})
}

// WebhookSecret returns the key that signs a person's webhooks. If no key is stored, or
// renew is set, it stores drawn as the key.
func (s *Store) WebhookSecret(ctx context.Context, person core.PersonID, drawn string, renew bool) (secret string, err error) {
	err = s.write(ctx, whoMayWhat, func(t *tx) error {
		if _, err := personWhere(t, `WHERE p.id = ?`, person); err != nil {
			return about(err, "person", person)
		}
		change := `NOTHING`
		if renew {
			change = `UPDATE SET key = excluded.key, created = excluded.created`
		}
		if _, err := t.Exec(`INSERT INTO webhook_keys (person, key, created) VALUES (?, ?, ?) ON CONFLICT (person) DO `+change, person, drawn, t.now); err != nil {
			return err
		}
		if _, err := t.Value(&secret, `SELECT key FROM webhook_keys WHERE person = ?`, person); err != nil || secret != drawn {
			return err
		}
		return t.audit(core.DeedWebhookSecret, did{"person", string(person), person, ""})
	})
	return secret, err
}
