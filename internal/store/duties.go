package store

import (
	"context"
	"time"

	"errand/internal/core"
)

// dutyChannel is the channel of duty leases in the table connections. No platform has this name.
const dutyChannel = "errand"

// Duty returns the account that stands for a duty in leases. A duty is work that one worker
// does for the whole installation.
func Duty(name string) core.Account { return core.Account{Channel: dutyChannel, Name: name} }

// leaseDuty is [Store.Lease] of a duty. The lease never outlasts the worker's own row in
// workers, so another worker takes over at once when that row ends. While another worker has
// the duty, leaseDuty writes nothing, so that asking does not delay other transactions.
func leaseDuty(ctx context.Context, s *Store, a core.Account, worker string, ttl time.Duration) (lasts time.Duration, err error) {
	q := s.read(ctx)
	now, err := s.serverNow(q)
	if err != nil {
		return 0, err
	}
	var elsewhere int
	if _, err := q.Value(&elsewhere, `SELECT count(*) FROM connections WHERE channel = ? AND account = ? AND owner <> ? AND held_until > ?
		AND owner IN (SELECT id FROM workers WHERE held_until > ?)`, a.Channel, a.Name, worker, now, now); err != nil || elsewhere > 0 {
		return 0, err
	}
	err = s.writeUrgent(ctx, "", func(t *tx) error {
		lasts = 0
		if err := t.byServerClock(); err != nil {
			return err
		}
		var lives int64 // when the worker's own lease ends
		if _, err := t.Value(&lives, `SELECT held_until FROM workers WHERE id = ?`, worker); err != nil {
			return err
		}
		most := min(ttl, time.Duration(lives-t.now)*time.Microsecond)
		if most <= 0 {
			return nil
		}
		_, err := t.Exec(`UPDATE connections SET `+unheld+`, since = ? WHERE channel = ? AND account = ? AND owner <> ?
			AND owner NOT IN (SELECT id FROM workers WHERE held_until > ?)`, t.now, a.Channel, a.Name, worker, t.now)
		if err == nil {
			lasts, err = t.lease(a, worker, most)
		}
		return err
	})
	if err != nil {
		lasts = 0
	}
	return lasts, err
}
