package store

import (
	"context"
	"errors"
	"fmt"

	"errand/internal/core"
)

// MostPushSubscriptions is the limit per person. A further subscription replaces the one whose
// last push is the oldest.
const MostPushSubscriptions = 20

// ErrOtherBrowser refuses a subscription whose endpoint belongs to another browser.
var ErrOtherBrowser = errors.New("the endpoint is another browser's")

type pushSubscriptionRow struct {
	ID, Person, Login, Endpoint, P256dh, Auth, Label string
	Words                                            bool
	Created, Sent                                    int64
	Failures                                         int
	Error                                            string
}

const pushSubscriptionColumns = `id, person, COALESCE(login, '') AS login, endpoint, p256dh, auth, label, words, created, sent, failures, error`

func (r pushSubscriptionRow) subscription() core.PushSubscription {
	return core.PushSubscription{
		ID: r.ID, Person: core.PersonID(r.Person), Login: r.Login, Endpoint: r.Endpoint, P256DH: r.P256dh, Auth: r.Auth, Label: r.Label,
		Words: r.Words, Created: at(r.Created), Sent: at(r.Sent), Failures: r.Failures, Error: r.Error,
	}
}

// A PushRenewal says how a subscription changes or replaces the browser's earlier one.
type PushRenewal struct {
	Words    *bool  // nil: unchanged, or false for a new subscription
	Replaces string // the same person's old endpoint; empty: none
}

// PutPushSubscription stores p and replaces the subscription with the same endpoint, or the one
// that r names. If the keys are the same, it moves a browser from another person to this one;
// other keys are refused with ErrOtherBrowser.
func (s *Store) PutPushSubscription(ctx context.Context, p core.PushSubscription, r PushRenewal) (core.PushSubscription, error) {
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
		p.ID, p.Created = "ps-"+core.ShortID(8), at(t.now)
		if found {
			if old.P256dh != p.P256DH || old.Auth != p.Auth {
				return ErrOtherBrowser
			}
			if old.Person == string(p.Person) {
				p.ID, p.Created, p.Sent, p.Failures, p.Error = old.ID, at(old.Created), at(old.Sent), old.Failures, old.Error
				p.Words = wordsOf(r, p.Words || old.Words)
				if old.Login != p.Login { // pushes for a login end with it
					if _, err := t.Exec(`DELETE FROM pushes WHERE subscription = ?`, p.ID); err != nil {
						return err
					}
				}
				_, err := t.Exec(`UPDATE push_subscriptions SET login = ?, label = ?, words = ? WHERE id = ?`, orNull(p.Login), p.Label, p.Words, p.ID)
				return err
			}
			// Pushes for the former person must not reach the new one.
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

// PushSubscriptions returns the subscriptions of a person, oldest first.
func (s *Store) PushSubscriptions(ctx context.Context, person core.PersonID) ([]core.PushSubscription, error) {
	var rows []pushSubscriptionRow
	if err := s.read(ctx).All(&rows, `SELECT `+pushSubscriptionColumns+` FROM push_subscriptions WHERE person = ? ORDER BY created, id`, person); err != nil {
		return nil, err
	}
	list := make([]core.PushSubscription, len(rows))
	for i, r := range rows {
		list[i] = r.subscription()
	}
	return list, nil
}

// DeletePushSubscription fails with ErrNotFound if the person has no subscription with that id.
func (s *Store) DeletePushSubscription(ctx context.Context, person core.PersonID, id string) error {
	return s.write(ctx, whoMayWhat, func(t *tx) error {
		n, err := t.Exec(`DELETE FROM push_subscriptions WHERE id = ? AND person = ?`, id, person)
		if err == nil && n == 0 {
			err = fmt.Errorf("push subscription %s: %w", core.Cut(id, 40), ErrNotFound)
		}
		return err
	})
}

// PushKey returns the installation's signing key for web push. The first call stores drawn.
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
