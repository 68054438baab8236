package store

import (
	"context"
	"time"
)

// mostRefusals is how many senders are remembered as turned away: anybody can
// write to a platform's account, under as many names as they like.
const mostRefusals = 1000

// A Refusal is a sender that was turned away, for the operator to see.
type Refusal struct {
	Channel    string    `json:"channel"`
	Account    string    `json:"account,omitempty"`
	ExternalID string    `json:"external_id"`
	Name       string    `json:"name,omitempty"`
	Reason     string    `json:"reason"`
	Times      int       `json:"times"`
	First      time.Time `json:"first"`
	Last       time.Time `json:"last"`
}

// Refuse notes that a sender was turned away, and counts. Of more than a
// thousand, those that came last are kept.
func (s *Store) Refuse(ctx context.Context, r Refusal) error {
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

// Refusals returns the senders that were turned away, the last one first.
func (s *Store) Refusals(ctx context.Context) ([]Refusal, error) {
	var rows []struct {
		Channel, Account, ExternalID, Name, Reason string
		Times                                      int
		First, Last                                int64
	}
	err := s.read(ctx).All(&rows, `SELECT channel, account, external_id, name, reason, times, first, last FROM refusals ORDER BY last DESC, external_id`)
	list := make([]Refusal, len(rows))
	for i, r := range rows {
		list[i] = Refusal{r.Channel, r.Account, r.ExternalID, r.Name, r.Reason, r.Times, at(r.First), at(r.Last)}
	}
	return list, err
}
