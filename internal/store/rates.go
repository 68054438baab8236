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
	"errand/internal/store/sqldb"
)

var _ limit.Rows = (*Store)(nil)

// Shared reports whether several workers may have this store: on SQLite it is one
// process's alone.
func (s *Store) Shared() bool { return s.db.Postgres() }

// errTooFast undoes a transaction that took tokens which are not there.
var errTooFast = errors.New("too few tokens")

func (s *Store) rateKey(b limit.Bucket) string {
	sum := sha256.Sum256([]byte(s.ID() + " " + b.Key))
	return hex.EncodeToString(sum[:16])
}

// TakeTokens takes tokens from buckets that all workers share, by the clock of the
// database; see [limit.Rows]. It writes the rows of these buckets, nothing else, and on
// PostgreSQL waits for no disk.
func (s *Store) TakeTokens(ctx context.Context, takes []limit.Take) (wait time.Duration, err error) {
	// In one order, so that two who take cannot wait for each other.
	takes = slices.SortedFunc(slices.Values(takes), func(a, b limit.Take) int { return cmp.Compare(s.rateKey(a.Bucket), s.rateKey(b.Bucket)) })
	err = s.write(ctx, "", func(t *tx) error {
		wait = 0
		if err := t.byServerClock(); err != nil {
			return err
		}
		for _, take := range takes {
			cost, size := int64(take.N)*take.Every.Microseconds(), int64(take.Burst)*take.Every.Microseconds()
			n, err := t.Exec(`INSERT INTO rates AS r (key, full_at) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET
				full_at = CASE WHEN r.full_at > ? THEN r.full_at ELSE ? END + ?
				WHERE CASE WHEN r.full_at > ? THEN r.full_at ELSE ? END + ? <= ?`,
				s.rateKey(take.Bucket), t.now+cost, t.now, t.now, cost, t.now, t.now, cost, t.now+size)
			if err != nil {
				return err
			}
			if n == 0 {
				wait, err = t.tokenWait([]limit.Take{take})
				return cmp.Or(err, errTooFast)
			}
		}
		return nil
	})
	if errors.Is(err, errTooFast) {
		return max(wait, time.Microsecond), nil
	}
	return 0, err
}

// AwaitTokens returns how long TakeTokens would say to wait, and takes nothing.
func (s *Store) AwaitTokens(ctx context.Context, takes []limit.Take) (wait time.Duration, err error) {
	now, err := s.serverNow(s.read(ctx))
	if err != nil {
		return 0, err
	}
	return s.tokenWait(s.read(ctx), now, takes)
}

func (t *tx) tokenWait(takes []limit.Take) (time.Duration, error) {
	return t.s.tokenWait(t, t.now, takes)
}

func (s *Store) tokenWait(q sqldb.Querier, now int64, takes []limit.Take) (wait time.Duration, err error) {
	for _, take := range takes {
		var full int64
		found, err := q.Value(&full, `SELECT full_at FROM rates WHERE key = ?`, s.rateKey(take.Bucket))
		if err != nil {
			return 0, err
		}
		if found {
			ahead := time.Duration(max(full, now)-now) * time.Microsecond
			wait = max(wait, ahead+time.Duration(take.N-take.Burst)*take.Every)
		}
	}
	return wait, nil
}

// ReturnTokens gives back what was taken and not used.
func (s *Store) ReturnTokens(ctx context.Context, takes []limit.Take) error {
	return s.write(ctx, "", func(t *tx) error {
		for _, take := range slices.SortedFunc(slices.Values(takes), func(a, b limit.Take) int { return cmp.Compare(s.rateKey(a.Bucket), s.rateKey(b.Bucket)) }) {
			_, err := t.Exec(`UPDATE rates SET full_at = full_at - ? WHERE key = ?`, int64(take.N)*take.Every.Microseconds(), s.rateKey(take.Bucket))
			if err != nil {
				return err
			}
		}
		return nil
	})
}

// ForgetRates deletes buckets that are full, which are as good as new.
func (s *Store) ForgetRates(ctx context.Context) error {
	now, err := s.serverNow(s.read(ctx))
	if err != nil {
		return err
	}
	var one int
	some, err := s.read(ctx).Value(&one, `SELECT 1 FROM rates WHERE full_at <= ? LIMIT 1`, now)
	if err != nil || !some {
		return err
	}
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM rates WHERE full_at <= ?`, now)
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
