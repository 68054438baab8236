package store

import (
	"context"
	"time"

	"errand"
)

// dutyChannel stands in the table of connections for what is no account: the leases
// of duties. No platform has that name.
const dutyChannel = "errand"

// Duty returns what stands in the place of an account in the lease of something that one
// worker does for all of an installation.
func Duty(name string) errand.Account { return errand.Account{Channel: dutyChannel, Name: name} }

// leaseDuty is [Store.Lease] of a duty. A worker that has ended, or whose machine and folder
// another process has by now, is not waited for; so nobody has a duty for longer than it has
// shown that it lives. It writes nothing where another has the duty, so that asking holds
// nobody up.
func (s *Store) leaseDuty(ctx context.Context, a errand.Account, worker string, ttl time.Duration) (lasts time.Duration, err error) {
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
		var lives int64 // until when
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
