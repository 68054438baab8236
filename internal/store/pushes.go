package store

import (
	"context"
	"iter"
	"strings"
	"time"

	"errand/internal/core"
)

const pushPrefix = "wp-"

// IsPush reports whether id belongs to a push and not to a webhook.
func IsPush(id string) bool { return strings.HasPrefix(id, pushPrefix) }

// A Push is an event of a conversation that is still to be pushed to a browser.
type Push struct {
	ID           string
	Subscription core.PushSubscription
	Event        core.Event // ID 0: it was deleted
	Seen         bool       // the person has seen it on a page or answered it
	Language     string     // of the person
	Created      time.Time
}

func isPushed(e *core.Event) (core.PersonID, bool) {
	if e.Type != core.EventLate && e.Type != core.EventQuestion {
		return "", false
	}
	route, person, err := e.Key.Parse()
	return person, err == nil && route.Channel == core.ChannelWeb && person != core.Everyone
}

func (t *tx) addPushes(e *core.Event) error {
	person, ok := isPushed(e)
	if !ok {
		return nil
	}
	var to []string
	if err := t.All(&to, `SELECT id FROM push_subscriptions WHERE person = ? ORDER BY id`, person); err != nil {
		return err
	}
	for _, id := range to {
		if _, err := t.Exec(`INSERT INTO pushes (id, subscription, session_key, event, created) VALUES (?, ?, ?, ?, ?)`,
			pushPrefix+core.ShortID(12), id, e.Key, e.ID, t.now); err != nil {
			return err
		}
	}
	return nil
}

// Push returns a push, or ErrNotFound if there is nothing to push any more.
func (s *Store) Push(ctx context.Context, id string) (p Push, err error) {
	var row struct {
		Subscription, Language string
		Event, Created         int64
		Seen                   int
	}
	q := s.read(ctx)
	found, err := q.Row(&row, `SELECT p.subscription, p.event, p.created, who.language,
		CASE WHEN c.seen >= p.event OR EXISTS (SELECT 1 FROM events e JOIN questions q ON q.id = e.question WHERE e.id = p.event AND q.state <> 'open') THEN 1 ELSE 0 END AS seen
		FROM pushes p JOIN push_subscriptions s ON s.id = p.subscription JOIN people who ON who.id = s.person
		LEFT JOIN tokens t ON t.id = s.login LEFT JOIN chats c ON c.session_key = p.session_key
		WHERE p.id = ? AND (s.login IS NULL OR t.expires = 0 OR t.expires > ?)`, id, micros(s.clock()))
	if err == nil && !found {
		err = about(ErrNotFound, "push", core.Cut(id, 60))
	}
	if err != nil {
		return p, err
	}
	p = Push{ID: id, Seen: row.Seen > 0, Language: row.Language, Created: at(row.Created)}
	var to pushSubscriptionRow
	if _, err := q.Row(&to, `SELECT `+pushSubscriptionColumns+` FROM push_subscriptions WHERE id = ?`, row.Subscription); err != nil {
		return p, err
	}
	p.Subscription = to.subscription()
	events, err := eventsWhere(q, `id = ?`, row.Event)
	if err == nil && len(events) > 0 {
		p.Event = events[0]
	}
	return p, err
}

// A DuePush is the id of a push, and its person.
type DuePush struct {
	ID     string
	Person core.PersonID
}

// DuePushes returns the pushes of an event.
func (s *Store) DuePushes(ctx context.Context, key core.SessionKey, event int64) (due []DuePush, err error) {
	err = s.read(ctx).All(&due, `SELECT p.id, s.person FROM pushes p JOIN push_subscriptions s ON s.id = p.subscription
		WHERE p.session_key = ? AND p.event = ? ORDER BY p.id`, key, event)
	return due, err
}

// AllDuePushes yields the pushes created before a time, including those to deleted subscriptions.
func (s *Store) AllDuePushes(ctx context.Context, before time.Time) iter.Seq2[DuePush, error] {
	return paginate(func(after *DuePush) ([]DuePush, error) {
		if after == nil {
			after = &DuePush{}
		}
		var due []DuePush
		err := s.read(ctx).All(&due, `SELECT p.id, COALESCE(s.person, '') AS person FROM pushes p LEFT JOIN push_subscriptions s ON s.id = p.subscription
			WHERE p.created < ? AND p.id > ? ORDER BY p.id LIMIT ?`, micros(before), after.ID, pageRows)
		return due, err
	})
}

// A PushOutcome is the result of a push.
type PushOutcome int

const (
	PushDropped PushOutcome = iota // it is not sent any more
	PushSent                       // the push service has accepted it
	PushTried                      // an attempt failed; there will be another
	PushFailed                     // the last attempt failed
	PushGone                       // the push service no longer knows the subscription
)

// NotePush records the outcome of a push. Unless the push is tried again, it deletes it. With
// PushGone it deletes the subscription and all its pushes.
func (s *Store) NotePush(ctx context.Context, id string, outcome PushOutcome, reason string) error {
	return s.write(ctx, "push "+id, func(t *tx) error {
		var to string
		if found, err := t.Value(&to, `SELECT subscription FROM pushes WHERE id = ?`, id); err != nil || !found {
			return err
		}
		var err error
		switch outcome {
		case PushSent:
			_, err = t.Exec(`UPDATE push_subscriptions SET sent = ?, failures = 0, error = '' WHERE id = ?`, t.now, to)
		case PushTried, PushFailed:
			_, err = t.Exec(`UPDATE push_subscriptions SET failures = failures + 1, error = ? WHERE id = ?`, core.Cut(printable(reason), 300), to)
		case PushGone:
			_, err = t.Exec(`DELETE FROM push_subscriptions WHERE id = ?`, to)
			if err == nil {
				_, err = t.Exec(`DELETE FROM pushes WHERE subscription = ?`, to)
			}
		}
		if err == nil && outcome != PushTried {
			_, err = t.Exec(`DELETE FROM pushes WHERE id = ?`, id)
		}
		return err
	})
}
