package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"errand"
)

// A PushSubscription is a browser of a person's that is told of what comes by itself while
// none of its pages is open.
type PushSubscription struct {
	ID     string          `json:"id"`
	Person errand.PersonID `json:"-"`
	// Login is the token that the browser is logged in by; the subscription ends with it.
	// Empty: it is logged in by none.
	Login string `json:"-"`
	// Endpoint is where its push service takes what it is told. Whoever has it can send
	// there, if they have the key, too: it is a secret.
	Endpoint string    `json:"-"`
	P256DH   string    `json:"-"`
	Auth     string    `json:"-"`
	Label    string    `json:"label" description:"what the browser calls itself"`
	Words    bool      `json:"words" description:"it is told what a result says; otherwise only that it is there"`
	Created  time.Time `json:"created"`
	Sent     time.Time `json:"sent,omitzero" description:"when its push service last took something"`
	Failures int       `json:"failures" description:"failed attempts since its push service last took something"`
	Error    string    `json:"error,omitempty" description:"why, the last time"`
}

// MostPushSubscriptions is how many browsers of a person are told of what comes. One more takes the place of
// the one that was told longest ago.
const MostPushSubscriptions = 20

// ErrOtherBrowser refuses a subscription of another browser's endpoint.
var ErrOtherBrowser = errors.New("the endpoint is another browser's")

type pushSubscriptionRow struct {
	ID, Person, Login, Endpoint, P256dh, Auth, Label string
	Words                                            bool
	Created, Sent                                    int64
	Failures                                         int
	Error                                            string
}

const pushSubscriptionColumns = `id, person, COALESCE(login, '') AS login, endpoint, p256dh, auth, label, words, created, sent, failures, error`

func (r pushSubscriptionRow) subscription() PushSubscription {
	return PushSubscription{r.ID, errand.PersonID(r.Person), r.Login, r.Endpoint, r.P256dh, r.Auth, r.Label, r.Words, at(r.Created), at(r.Sent), r.Failures, r.Error}
}

// A PushRenewal is what a browser may leave to its subscription before.
type PushRenewal struct {
	Words    *bool  // nil: as before; of a new one false
	Replaces string // an endpoint of the same person's that is over; empty: none
}

// PutPushSubscription keeps p, in the place of one of the same endpoint, or of the one that it
// replaces. A browser in which somebody else was logged in before is whose it is now; that it
// is the same one its keys show, and with other keys an endpoint is refused with
// ErrOtherBrowser.
func (s *Store) PutPushSubscription(ctx context.Context, p PushSubscription, r PushRenewal) (PushSubscription, error) {
	err := s.write(ctx, whoMayWhat, func(t *tx) error {
		if _, err := personWhere(t, `WHERE p.id = ?`, p.Person); err != nil {
			return about(err, "person", p.Person)
		}
		p.Words = false
		if r.Replaces != "" && r.Replaces != p.Endpoint {
			if _, err := t.Value(&p.Words, `DELETE FROM push_subscriptions WHERE endpoint = ? AND person = ? RETURNING words`, r.Replaces, p.Person); err != nil {
				return err
			}
		}
		var old pushSubscriptionRow
		found, err := t.Row(&old, `SELECT `+pushSubscriptionColumns+` FROM push_subscriptions WHERE endpoint = ?`, p.Endpoint)
		if err != nil {
			return err
		}
		p.ID, p.Created = "ps-"+errand.ShortID(8), at(t.now)
		if found {
			if old.P256dh != p.P256DH || old.Auth != p.Auth {
				return ErrOtherBrowser
			}
			if old.Person == string(p.Person) {
				p.ID, p.Created, p.Sent, p.Failures, p.Error = old.ID, at(old.Created), at(old.Sent), old.Failures, old.Error
				p.Words = wordsOf(r, p.Words || old.Words)
				if old.Login != p.Login { // what was due to a login ends with it
					if _, err := t.Exec(`DELETE FROM pushes WHERE subscription = ?`, p.ID); err != nil {
						return err
					}
				}
				_, err := t.Exec(`UPDATE push_subscriptions SET login = ?, label = ?, words = ? WHERE id = ?`, orNull(p.Login), p.Label, p.Words, p.ID)
				return err
			}
			// What was due to whoever had it is none of the other's.
			if _, err := t.Exec(`DELETE FROM push_subscriptions WHERE id = ?`, old.ID); err != nil {
				return err
			}
		}
		p.Words = wordsOf(r, p.Words)
		if _, err := t.Exec(`INSERT INTO push_subscriptions (id, person, login, endpoint, p256dh, auth, label, words, created) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			p.ID, p.Person, orNull(p.Login), p.Endpoint, p.P256DH, p.Auth, p.Label, p.Words, t.now); err != nil {
			return err
		}
		_, err = t.Exec(`DELETE FROM push_subscriptions WHERE person = ? AND id <> ? AND id NOT IN
			(SELECT id FROM push_subscriptions WHERE person = ? ORDER BY CASE WHEN id = ? THEN 1 ELSE 0 END DESC, CASE WHEN sent > created THEN sent ELSE created END DESC, id LIMIT ?)`,
			p.Person, p.ID, p.Person, p.ID, MostPushSubscriptions)
		return err
	})
	return p, err
}

func wordsOf(r PushRenewal, before bool) bool {
	if r.Words != nil {
		return *r.Words
	}
	return before
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// PushSubscriptions returns those of a person, the oldest first.
func (s *Store) PushSubscriptions(ctx context.Context, person errand.PersonID) ([]PushSubscription, error) {
	var rows []pushSubscriptionRow
	if err := s.read(ctx).All(&rows, `SELECT `+pushSubscriptionColumns+` FROM push_subscriptions WHERE person = ? ORDER BY created, id`, person); err != nil {
		return nil, err
	}
	list := make([]PushSubscription, len(rows))
	for i, r := range rows {
		list[i] = r.subscription()
	}
	return list, nil
}

// DeletePushSubscription deletes one of a person's: it is told no more; ErrNotFound where
// the person has none with that id.
func (s *Store) DeletePushSubscription(ctx context.Context, person errand.PersonID, id string) error {
	return s.write(ctx, whoMayWhat, func(t *tx) error {
		n, err := t.Exec(`DELETE FROM push_subscriptions WHERE id = ? AND person = ?`, id, person)
		if err == nil && n == 0 {
			err = fmt.Errorf("push subscription %s: %w", errand.Cut(id, 40), ErrNotFound)
		}
		return err
	})
}

// PushKey returns what web push is signed with in this installation; where there is none, it
// becomes drawn.
func (s *Store) PushKey(ctx context.Context, drawn string) (key string, err error) {
	err = s.write(ctx, "", func(t *tx) error {
		if _, err := t.Exec(`INSERT INTO meta (key, value) VALUES ('push_key', ?) ON CONFLICT DO NOTHING`, drawn); err != nil {
			return err
		}
		_, err := t.Value(&key, `SELECT value FROM meta WHERE key = 'push_key'`)
		return err
	})
	return key, err
}
