package store

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"slices"
	"time"

	"errand/internal/limit"
)

var _ limit.Rows = (*Store)(nil)

// Shared reports whether several workers may have this store: on SQLite it is one
// process's alone.
func (s *Store) Shared() bool { return s.db.Postgres() }

// errTooFast undoes the counts of a transaction that found a full bucket.
var errTooFast = errors.New("too fast")

func (s *Store) rateKey(b limit.Bucket) string {
	sum := sha256.Sum256([]byte(s.ID() + " " + b.Key))
	return hex.EncodeToString(sum[:16])
}

// CountRates counts once in each bucket, by the clock of the database; see [limit.Rows]. On
// PostgreSQL it waits for no disk.
func (s *Store) CountRates(ctx context.Context, buckets []limit.Bucket) (full string, wait time.Duration, err error) {
	// In one order, so that two transactions cannot wait for each other.
	buckets = slices.SortedFunc(slices.Values(buckets), func(a, b limit.Bucket) int { return cmp.Compare(s.rateKey(a), s.rateKey(b)) })
	err = s.write(ctx, "", func(t *tx) error {
		if err := t.byServerClock(); err != nil {
			return err
		}
		for _, b := range buckets {
			var row rateRow
			if _, err := t.Row(&row, `INSERT INTO rates AS r (key, n, ends) VALUES (?, 1, ?) ON CONFLICT (key) DO UPDATE SET
				n = CASE WHEN r.ends > ? THEN r.n + 1 ELSE 1 END, ends = CASE WHEN r.ends > ? THEN r.ends ELSE excluded.ends END
				RETURNING n, ends`, s.rateKey(b), t.now+window(b).Microseconds(), t.now, t.now); err != nil {
				return err
			}
			if row.N > b.Burst {
				full, wait = b.Key, time.Duration(row.Ends-t.now)*time.Microsecond
				return errTooFast
			}
		}
		return nil
	})
	if errors.Is(err, errTooFast) {
		return full, wait, nil
	}
	return "", 0, err
}

type rateRow struct {
	N    int
	Ends int64
}

// window is the time in which a bucket is filled.
func window(b limit.Bucket) time.Duration { return time.Duration(b.Burst) * b.Every }

// RateWait returns how long CountRates would say to wait. It counts nothing.
func (s *Store) RateWait(ctx context.Context, buckets []limit.Bucket) (wait time.Duration, err error) {
	q := s.read(ctx)
	now, err := s.serverNow(q)
	if err != nil {
		return 0, err
	}
	for _, b := range buckets {
		var row rateRow
		if _, err := q.Row(&row, `SELECT n, ends FROM rates WHERE key = ?`, s.rateKey(b)); err != nil {
			return 0, err
		}
		if b.Burst > 0 && row.N >= b.Burst {
			wait = max(wait, time.Duration(row.Ends-now)*time.Microsecond)
		}
	}
	return wait, nil
}

// ForgetRates deletes counters whose time is over.
func (s *Store) ForgetRates(ctx context.Context) error {
	now, err := s.serverNow(s.read(ctx))
	if err != nil {
		return err
	}
	var one int
	some, err := s.read(ctx).Value(&one, `SELECT 1 FROM rates WHERE ends <= ? LIMIT 1`, now)
	if err != nil || !some {
		return err
	}
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM rates WHERE ends <= ?`, now)
		return err
	})
}

// PauseProvider notes that a provider of models asked not to be called for a while, from
// now on by the database's clock. A longer pause that is known stays.
func (s *Store) PauseProvider(ctx context.Context, provider string, wait time.Duration) error {
	return s.writeUrgent(ctx, "", func(t *tx) error {
		if err := t.byServerClock(); err != nil {
			return err
		}
		_, err := t.Exec(`INSERT INTO provider_pauses AS p (provider, until) VALUES (?, ?)
			ON CONFLICT (provider) DO UPDATE SET until = excluded.until WHERE p.until < excluded.until`, provider, t.now+wait.Microseconds())
		return err
	})
}

// SharedLimits is what the limits of providers depend on: how many workers live, and
// which providers asked not to be called, for how long from now on.
func (s *Store) SharedLimits(ctx context.Context) (workers int, paused map[string]time.Duration, err error) {
	q := s.read(ctx)
	now, err := s.serverNow(q)
	if err != nil {
		return 0, nil, err
	}
	var rows []struct {
		Provider string
		N        int64
	}
	err = q.All(&rows, `SELECT '' AS provider, COUNT(*) AS n FROM workers WHERE held_until > ?
		UNION ALL SELECT provider, until AS n FROM provider_pauses WHERE until > ?`, now, now)
	paused = map[string]time.Duration{}
	for _, r := range rows {
		if r.Provider == "" {
			workers = int(r.N)
			continue
		}
		paused[r.Provider] = time.Duration(r.N-now) * time.Microsecond
	}
	return workers, paused, err
}
