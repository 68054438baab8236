package store

import (
	"context"
	"iter"
	"time"

	"errand"
)

// A WebhookState is where a webhook is in its life.
type WebhookState string

// The states.
const (
	WebhookWaiting WebhookState = "waiting" // for the end of its task
	WebhookDue     WebhookState = "due"     // to be sent, or being tried
	WebhookSent    WebhookState = "sent"
	WebhookFailed  WebhookState = "failed" // given up
)

// A Webhook is what a program is told over HTTP of the end of a task. Its ID is the same at each
// attempt: by it whoever receives it knows what came before.
type Webhook struct {
	ID       string          `json:"id"`
	Person   errand.PersonID `json:"person"`
	Task     errand.TaskID   `json:"task"`
	URL      string          `json:"url"`
	Push     string          `json:"push,omitempty" description:"of a notification over A2A: the id of its configuration"`
	State    WebhookState    `json:"state" enum:"waiting,due,sent,failed"`
	Attempts int             `json:"attempts"`
	Error    string          `json:"error,omitempty"` // of the last attempt
	Created  time.Time       `json:"created"`
	Due      time.Time       `json:"due,omitzero"`
	Ended    time.Time       `json:"ended,omitzero"`
}

// NewWebhookID draws an id.
func NewWebhookID() string { return "w-" + errand.ShortID(12) }

// addWebhook keeps where a program is told of the end of a task; an empty address: nobody is.
func (t *tx) addWebhook(url string, task *errand.Task) error {
	if url == "" {
		return nil
	}
	_, err := t.Exec(`INSERT INTO webhooks (id, person, task, url, state, created) VALUES (?, ?, ?, ?, ?, ?)`,
		NewWebhookID(), task.Origin.Person, task.ID, url, WebhookWaiting, t.now)
	return err
}

func (t *tx) dueWebhooks(task errand.TaskID) error {
	_, err := t.Exec(`UPDATE webhooks SET state = 'due', due = ? WHERE task = ? AND state = 'waiting'`, t.now, task)
	return err
}

type webhookRow struct {
	ID, Person, Task, URL, Push, State, Error string
	Attempts                                  int
	Created, Due, Ended                       int64
}

const webhookColumns = `id, person, task, url, push, state, attempts, error, created, due, ended`

func (r webhookRow) webhook() Webhook {
	return Webhook{ID: r.ID, Person: errand.PersonID(r.Person), Task: errand.TaskID(r.Task), URL: r.URL, Push: r.Push, State: WebhookState(r.State),
		Attempts: r.Attempts, Error: r.Error, Created: at(r.Created), Due: at(r.Due), Ended: at(r.Ended)}
}

func (s *Store) webhooksWhere(ctx context.Context, where string, args ...any) ([]Webhook, error) {
	var rows []webhookRow
	if err := s.read(ctx).All(&rows, `SELECT `+webhookColumns+` FROM webhooks WHERE `+where, args...); err != nil {
		return nil, err
	}
	list := make([]Webhook, len(rows))
	for i, r := range rows {
		list[i] = r.webhook()
	}
	return list, nil
}

// Webhook returns a webhook by its id, or ErrNotFound.
func (s *Store) Webhook(ctx context.Context, id string) (Webhook, error) {
	list, err := s.webhooksWhere(ctx, `id = ?`, id)
	if err == nil && len(list) == 0 {
		err = about(ErrNotFound, "webhook", errand.Cut(id, 60))
	}
	if err != nil {
		return Webhook{}, err
	}
	return list[0], nil
}

// Webhooks returns the webhooks of a person, or everybody's, the newest first.
func (s *Store) Webhooks(ctx context.Context, person errand.PersonID, p Page) ([]Webhook, error) {
	where, args := `TRUE`, []any{}
	if person != "" {
		where, args = `person = ?`, append(args, person)
	}
	behind, values, err := newestFirst.behind(p.After)
	if err != nil {
		return nil, err
	}
	return s.webhooksWhere(ctx, where+" AND "+behind+newestFirst.by()+" LIMIT ?", append(append(args, values...), orDefault(p.Limit, 100))...)
}

// DueWebhooks returns the ids of what is to be sent of a task that has ended.
func (s *Store) DueWebhooks(ctx context.Context, task errand.TaskID) ([]string, error) {
	var ids []string
	err := s.read(ctx).All(&ids, `SELECT id FROM webhooks WHERE task = ? AND state = 'due' ORDER BY id`, task)
	return ids, err
}

// A DueWebhook is a webhook that is to be sent, and whose it is.
type DueWebhook struct {
	ID     string
	Person errand.PersonID
}

// AllDueWebhooks yields what has been due since before a time.
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

// NoteWebhookTried notes an attempt that failed, unless the webhook has ended; final says
// that it is the last.
func (s *Store) NoteWebhookTried(ctx context.Context, id, reason string, final bool) error {
	return s.noteWebhook(ctx, id, func(t *tx) error {
		state, ended := WebhookDue, int64(0)
		if final {
			state, ended = WebhookFailed, t.now
		}
		_, err := t.Exec(`UPDATE webhooks SET attempts = attempts + 1, error = ?, state = ?, ended = ? WHERE id = ? AND state = 'due'`,
			errand.Cut(printable(reason), 300), state, ended, id)
		return err
	})
}

// NoteWebhookSent notes that a webhook has arrived.
func (s *Store) NoteWebhookSent(ctx context.Context, id string) error {
	return s.noteWebhook(ctx, id, func(t *tx) error {
		_, err := t.Exec(`UPDATE webhooks SET attempts = attempts + 1, error = '', state = 'sent', ended = ? WHERE id = ? AND state = 'due'`, t.now, id)
		return err
	})
}

// GiveWebhookUp ends a webhook that is tried no more.
func (s *Store) GiveWebhookUp(ctx context.Context, id string) error {
	return s.noteWebhook(ctx, id, func(t *tx) error {
		_, err := t.Exec(`UPDATE webhooks SET state = 'failed', ended = ? WHERE id = ? AND state = 'due'`, t.now, id)
		return err
	})
}

func (s *Store) noteWebhook(ctx context.Context, id string, do func(*tx) error) error {
	return s.write(ctx, "webhook "+id, do)
}

// WebhookSecret returns what a person's webhooks are signed with. Where there is none, or
// renew is set, it becomes drawn.
func (s *Store) WebhookSecret(ctx context.Context, person errand.PersonID, drawn string, renew bool) (secret string, err error) {
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
		return t.audit(DeedWebhookSecret, did{"person", string(person), person, ""})
	})
	return secret, err
}
