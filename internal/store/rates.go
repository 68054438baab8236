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

// Shared reports whether several workers can use this store: only on PostgreSQL.
func (s *Store) Shared() bool { return s.db.Postgres() }

// errTooFast rolls back the counts of a transaction that found a full bucket.
var errTooFast = errors.New("too fast")

func rateKey(store string, b limit.Bucket) string {
	sum := sha256.Sum256([]byte(store + " " + b.Key))
	return hex.EncodeToString(sum[:16])
}

// CountRates counts once in each bucket, by the database's clock; see [limit.Rows]. On
// PostgreSQL it does not wait for the disk.
func (s *Store) CountRates(ctx context.Context, buckets []limit.Bucket) (full string, wait time.Duration, err error) {
	// Sorted, so that two transactions cannot deadlock.
	buckets = slices.SortedFunc(slices.Values(buckets), func(a, b limit.Bucket) int { return cmp.Compare(rateKey(s.id, a), rateKey(s.id, b)) })
	err = s.write(ctx, "", func(t *tx) error {
		if err := t.byServerClock(); err != nil {
			return err
		}
		for _, b := range buckets {
			var row rateRow
			if _, err := t.Row(&row, `INSERT INTO rates AS r (key, n, ends) VALUES (?, 1, ?) ON CONFLICT (key) DO UPDATE SET
				n = CASE WHEN r.ends > ? THEN r.n + 1 ELSE 1 END, ends = CASE WHEN r.ends > ? THEN r.ends ELSE excluded.ends END
				RETURNING n, ends`, rateKey(s.id, b), t.now+window(b).Microseconds(), t.now, t.now); err != nil {
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

func window(b limit.Bucket) time.Duration { return time.Duration(b.Burst) * b.Every }

// RateWait returns the wait that CountRates would return. It counts nothing.
func (s *Store) RateWait(ctx context.Context, buckets []limit.Bucket) (wait time.Duration, err error) {
	q := s.read(ctx)
	now, err := s.serverNow(q)
	if err != nil {
		return 0, err
	}
	for _, b := range buckets {
		var row rateRow
		if _, err := q.Row(&row, `SELECT n, ends FROM rates WHERE key = ?`, rateKey(s.id, b)); err != nil {
			return 0, err
		}
		if b.Burst > 0 && row.N >= b.Burst {
			wait = max(wait, time.Duration(row.Ends-now)*time.Microsecond)
		}
	}
	return wait, nil
}

// ForgetRates deletes expired counters.
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

// PauseProvider records that a provider requested a pause of wait. A longer pause stays.
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

// SharedLimits returns the number of live workers, and the remaining pauses of providers.
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
