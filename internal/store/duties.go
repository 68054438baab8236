package store

import (
	"context"
	"slices"
	"time"

	"errand"
)

// A Duty is what one worker does for all of an installation.
type Duty string

// The duties of every installation.
const (
	DutyReconcile Duty = "reconcile" // to make the store and Temporal agree
	DutyTitles    Duty = "titles"    // to name chats
)

// dutyChannel stands in the table of connections for what is no account: the leases
// of duties. No platform has that name.
const dutyChannel = "errand"

func (d Duty) account() errand.Account { return errand.Account{Channel: dutyChannel, Name: string(d)} }

// LeaseDuty makes worker the one that has a duty, for at most ttl from now on, or lets
// it have it for longer. lasts is for how long: zero while another living worker has it.
// One that has ended, or whose machine and folder another process has by now, is not
// waited for; so nobody has a duty for longer than it has shown that it lives. workers
// are the ids of those that live, in order. It writes nothing where another has the duty,
// so that asking holds nobody up.
func (s *Store) LeaseDuty(ctx context.Context, d Duty, worker string, ttl time.Duration) (lasts time.Duration, workers []string, err error) {
	q := s.read(ctx)
	now, err := s.serverNow(q)
	if err != nil {
		return 0, nil, err
	}
	if err := q.All(&workers, `SELECT id FROM workers WHERE held_until > ? ORDER BY id`, now); err != nil {
		return 0, nil, err
	}
	var row struct {
		Owner     string
		HeldUntil int64
	}
	a := d.account()
	if _, err := q.Row(&row, `SELECT owner, held_until FROM connections WHERE channel = ? AND account = ?`, a.Channel, a.Name); err != nil {
		return 0, nil, err
	}
	if row.Owner != worker && row.HeldUntil > now && slices.Contains(workers, row.Owner) {
		return 0, workers, nil
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
		if err != nil {
			return err
		}
		held, err := t.lease(a, worker, most)
		if held {
			lasts = most
		}
		return err
	})
	if err != nil {
		lasts = 0
	}
	return lasts, workers, err
}

// ReleaseDuty lets another worker have a duty, if this one has it.
func (s *Store) ReleaseDuty(ctx context.Context, d Duty, worker string) error {
	return s.ReleaseLease(ctx, d.account(), worker)
}
