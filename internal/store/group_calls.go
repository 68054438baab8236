package store

import (
	"context"
	"time"

	"errand/internal/core"
)

// groupCallsKept is how long the store remembers which account took a call. Platforms deliver
// messages that came while errand was offline for a day or two.
const groupCallsKept = 7 * 24 * time.Hour

// TakeCall gives a call for agents in a group to the first account that asks for it, and
// returns that account. Later calls, also by the same account, return the same. call
// distinguishes calls that were written in the same second.
func (s *Store) TakeCall(ctx context.Context, r core.Route, written time.Time, call string) (account string, err error) {
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
