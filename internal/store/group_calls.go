package store

import (
	"context"
	"time"

	"errand"
)

// groupCallsKept is for how long it is known which account has taken a call: platforms
// deliver what came while nobody was connected for a day or two.
const groupCallsKept = 7 * 24 * time.Hour

// TakeCall has the account of a route take a call of colleagues that was written in a group
// at a time, unless another of ours has. It returns which one has: the first that asks,
// however often it does. call is what tells it from others of that second.
func (s *Store) TakeCall(ctx context.Context, r errand.Route, written time.Time, call string) (account string, err error) {
	second := written.Unix()
	err = s.write(ctx, "", func(t *tx) error {
		if _, err := t.Exec(`DELETE FROM group_calls WHERE written < ?`, at(t.now).Add(-groupCallsKept).Unix()); err != nil {
			return err
		}
		if _, err := t.Exec(`INSERT INTO group_calls (channel, chat, written, call, account) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
			r.Channel, r.Chat, second, call, r.Account); err != nil {
			return err
		}
		_, err := t.Value(&account, `SELECT account FROM group_calls WHERE channel = ? AND chat = ? AND written = ? AND call = ?`, r.Channel, r.Chat, second, call)
		return err
	})
	return account, err
}
