package store

import (
	"context"
	"iter"
	"strings"
	"time"

	"errand"
)

// pushPrefix begins the id of a push.
const pushPrefix = "wp-"

// IsPush reports whether an id is that of a push, and not of a webhook.
func IsPush(id string) bool { return strings.HasPrefix(id, pushPrefix) }

// A Push is what a browser is to be told of: an event of a conversation. It is there until it
// was told, or is not to be told any more.
type Push struct {
	ID           string
	Subscription PushSubscription
	Event        errand.Event // ID 0: it is gone
	Seen         bool         // the person has seen it on a page, or answered it, meanwhile
	Language     string       // of the person
	Created      time.Time
}

// isPushed reports whether browsers are told of an event: what comes by itself in a chat of
// the page.
func isPushed(e *errand.Event) (errand.PersonID, bool) {
	if e.Type != errand.EventLate && e.Type != errand.EventQuestion {
		return "", false
	}
	route, person, err := e.Key.Parse()
	return person, err == nil && route.Channel == errand.ChannelWeb && person != errand.Everyone
}

func (t *tx) addPushes(e *errand.Event) error {
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
			pushPrefix+errand.ShortID(12), id, e.Key, e.ID, t.now); err != nil {
			return err
		}
	}
	return nil
}

// Push returns a push, or ErrNotFound where nothing is to be told any more.
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
		err = about(ErrNotFound, "push", errand.Cut(id, 60))
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
	events, err := s.queryEvents(ctx, `SELECT `+eventColumns+` FROM events WHERE id = ?`, row.Event)
	if err == nil && len(events) > 0 {
		p.Event = events[0]
	}
	return p, err
}

// A DuePush is a push, and whose it is.
type DuePush struct {
	ID     string
	Person errand.PersonID
}

// DuePushes returns what is to be told of an event.
func (s *Store) DuePushes(ctx context.Context, key errand.SessionKey, event int64) (due []DuePush, err error) {
	err = s.read(ctx).All(&due, `SELECT p.id, s.person FROM pushes p JOIN push_subscriptions s ON s.id = p.subscription
		WHERE p.session_key = ? AND p.event = ? ORDER BY p.id`, key, event)
	return due, err
}

// AllDuePushes yields what has been due since before a time, also to browsers that are gone.
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

// NotePushSent notes that a push service has taken a push.
func (s *Store) NotePushSent(ctx context.Context, id string) error {
	return s.notePush(ctx, id, func(t *tx) error {
		if _, err := t.Exec(`UPDATE push_subscriptions SET sent = ?, failures = 0, error = '' WHERE id = (SELECT subscription FROM pushes WHERE id = ?)`, t.now, id); err != nil {
			return err
		}
		return t.dropPush(id)
	})
}

// NotePushTried notes an attempt that failed; final says that it is the last.
func (s *Store) NotePushTried(ctx context.Context, id, reason string, final bool) error {
	return s.notePush(ctx, id, func(t *tx) error {
		_, err := t.Exec(`UPDATE push_subscriptions SET failures = failures + 1, error = ? WHERE id = (SELECT subscription FROM pushes WHERE id = ?)`,
			errand.Cut(printable(reason), 300), id)
		if err != nil || !final {
			return err
		}
		return t.dropPush(id)
	})
}

// NotePushGone deletes the subscription of a push, of which its push service says that there
// is none any more, with all that is due to it.
func (s *Store) NotePushGone(ctx context.Context, id string) error {
	return s.notePush(ctx, id, func(t *tx) error {
		var of string
		if found, err := t.Value(&of, `SELECT subscription FROM pushes WHERE id = ?`, id); err != nil || !found {
			return err
		}
		if _, err := t.Exec(`DELETE FROM push_subscriptions WHERE id = ?`, of); err != nil {
			return err
		}
		_, err := t.Exec(`DELETE FROM pushes WHERE subscription = ?`, of)
		return err
	})
}

// DropPush ends a push that is not told any more.
func (s *Store) DropPush(ctx context.Context, id string) error {
	return s.notePush(ctx, id, func(t *tx) error { return t.dropPush(id) })
}

func (t *tx) dropPush(id string) error {
	_, err := t.Exec(`DELETE FROM pushes WHERE id = ?`, id)
	return err
}

func (s *Store) notePush(ctx context.Context, id string, do func(*tx) error) error {
	return s.write(ctx, "push "+id, do)
}
