package store

import (
	"context"

	"errand/internal/core"
)

// mostRefusals limits the rows that strangers can create.
const mostRefusals = 1000

// Refuse counts a refused sender. The store keeps the last thousand.
func (s *Store) Refuse(ctx context.Context, r core.Refusal) error {
	return s.write(ctx, "refusals", func(t *tx) error {
		var times int
		_, err := t.Value(&times, `INSERT INTO refusals (channel, account, external_id, name, reason, times, first, last) VALUES (?, ?, ?, ?, ?, 1, ?, ?)
			ON CONFLICT (channel, account, external_id) DO UPDATE
			SET name = excluded.name, reason = excluded.reason, times = refusals.times + 1, last = excluded.last RETURNING times`,
			r.Channel, r.Account, r.ExternalID, r.Name, r.Reason, t.now, t.now)
		if err != nil || times > 1 {
			return err
		}
		var n int
		if _, err := t.Value(&n, `SELECT COUNT(*) FROM refusals`); err != nil || n <= mostRefusals {
			return err
		}
		_, err = t.Exec(`DELETE FROM refusals WHERE (channel, account, external_id) IN
			(SELECT channel, account, external_id FROM refusals ORDER BY last, first, external_id LIMIT ?)`, n-mostRefusals)
		return err
	})
}

// Refusals returns the refused senders, the latest first.
func (s *Store) Refusals(ctx context.Context) ([]core.Refusal, error) {
	var rows []struct {
		Channel, Account, ExternalID, Name, Reason string
		Times                                      int
		First, Last                                int64
	}
	err := s.read(ctx).All(&rows, `SELECT channel, account, external_id, name, reason, times, first, last FROM refusals ORDER BY last DESC, external_id`)
	list := make([]core.Refusal, len(rows))
	for i, r := range rows {
		list[i] = core.Refusal{
			Channel: r.Channel, Account: r.Account, ExternalID: r.ExternalID, Name: r.Name,
			Reason: r.Reason, Times: r.Times, First: at(r.First), Last: at(r.Last),
		}
	}
	return list, err
}
