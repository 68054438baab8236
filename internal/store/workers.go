package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// A Place is the Temporal namespace whose workflows use a store.
type Place struct {
	// Claim is a random id made when the namespace is claimed for this store. A cluster that
	// lost its database has another one.
	Claim     string `json:"claim"`
	Address   string `json:"address"` // host:port
	Namespace string `json:"namespace"`
	Embedded  bool   `json:"embedded"` // in the worker's process
}

func (p Place) String() string {
	if p.Embedded {
		return fmt.Sprintf("the embedded Temporal at %s", p.Address)
	}
	return fmt.Sprintf("the namespace %q of the Temporal at %s", p.Namespace, p.Address)
}

// A Worker is a process that uses the store. It counts as alive as long as it has a row in workers:
// until it is deregistered, replaced, or expired by another worker. Only the clock of the database
// counts.
type Worker struct {
	ID   string // also its identity in Temporal
	Home string // machine and data folder; a new worker replaces the earlier one there
	TTL  time.Duration
}

// A PlaceInUseError means that a living worker uses the store from another place.
type PlaceInUseError struct {
	Place
	Worker string
	Until  time.Time // the end of the worker's lease, unless it renews it
}

func (e *PlaceInUseError) Error() string {
	return fmt.Sprintf("the worker %s works on this store by %s", e.Worker, e.Place)
}

// A PlaceMovedError means that another place used the store, where work may be open.
type PlaceMovedError struct{ Place }

func (e *PlaceMovedError) Error() string {
	return fmt.Sprintf("this store belongs to %s", e.Place)
}

// ErrPlaceLost means that a worker may no longer use the store, because another place does.
var ErrPlaceLost = errors.New("the store is worked on by another Temporal")

const placeKey = "temporal"

// RegisterWorker makes p the place of the store, and registers w. It fails with a
// [*PlaceInUseError] while a worker of another place is alive. Unless takeOver is set, it fails
// with a [*PlaceMovedError] if the last place was another one; the same place with a new
// database is fine. If the place has changed, from is the last one.
func (s *Store) RegisterWorker(ctx context.Context, w Worker, p Place, takeOver bool) (from Place, err error) {
	err = s.writeUrgent(ctx, placeKey, func(t *tx) error {
		from = Place{}
		if err := t.byServerClock(); err != nil {
			return err
		}
		if err := t.endOutage(w); err != nil {
			return err
		}
		if err := t.forgetWorkers(w, p); err != nil {
			return err
		}
		old, err := t.place()
		if err != nil {
			return err
		}
		if old.Claim != "" && old.Claim != p.Claim {
			sameAddress := old.Address == p.Address && old.Namespace == p.Namespace
			// The workers of a cluster that has lost its database all move to the new one. Two
			// embedded servers may have the same address on different machines.
			if old.Embedded || p.Embedded || !sameAddress {
				if err := t.otherWorker(w, old); err != nil {
					return err
				}
			}
			if again := sameAddress || old.Embedded && p.Embedded; !again && !takeOver {
				return &PlaceMovedError{old}
			}
			from = old
		}
		if old.Claim != p.Claim || p.Embedded {
			if err := t.setPlace(p); err != nil {
				return err
			}
		}
		return t.insertWorker(w, p)
	})
	if err == nil {
		s.worker.Store(&w.ID)
	}
	return from, err
}

// forgetWorkers deletes the earlier worker of this home, and expired workers of other places. On
// SQLite it deletes all others, because only one process uses the file.
func (t *tx) forgetWorkers(w Worker, p Place) error {
	_, err := t.Exec(`DELETE FROM workers WHERE id <> ? AND (home = ? OR held_until <= ? AND claim <> ? OR ?)`, w.ID, w.Home, t.now, p.Claim, !t.s.db.Postgres())
	if err != nil {
		return err
	}
	if _, err := t.Exec(`UPDATE mcp_servers SET gone = 0 WHERE gone > 0`); err != nil {
		return err
	}
	return t.releaseSending()
}

// releaseSending lets other workers send what dead workers were sending.
func (t *tx) releaseSending() error {
	_, err := t.Exec(`UPDATE outbox SET sending_until = 0 WHERE state = 'sending' AND sending_by <> '' AND sending_by NOT IN (SELECT id FROM workers)`)
	return err
}

func (t *tx) insertWorker(w Worker, p Place) error {
	_, err := t.Exec(`INSERT INTO workers (id, home, claim, held_until, since) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (id) DO UPDATE SET claim = excluded.claim, held_until = excluded.held_until`, w.ID, w.Home, p.Claim, t.now+w.TTL.Microseconds(), t.now)
	return err
}

func (t *tx) place() (Place, error) {
	var raw string
	var p Place
	found, err := t.Value(&raw, `SELECT value FROM meta WHERE key = ?`, placeKey)
	if err != nil || !found {
		return p, err
	}
	if err := json.Unmarshal([]byte(raw), &p); err != nil {
		return p, fmt.Errorf("read by which Temporal the store is worked on: %w", err)
	}
	return p, nil
}

func (t *tx) setPlace(p Place) error {
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, placeKey, string(raw))
	return err
}

func (t *tx) otherWorker(w Worker, p Place) error {
	var row struct {
		ID        string
		HeldUntil int64
	}
	rows, err := t.Query(`SELECT id, held_until FROM workers WHERE claim = ? AND id <> ? ORDER BY held_until DESC LIMIT 1`, p.Claim, w.ID)
	if err != nil {
		return err
	}
	defer rows.Close()
	if !rows.Next() {
		return rows.Err()
	}
	if err := rows.Scan(&row.ID, &row.HeldUntil); err != nil {
		return err
	}
	return &PlaceInUseError{p, row.ID, at(row.HeldUntil)}
}

// RenewWorker extends the lease of w. If the worker had expired, RenewWorker registers it again and
// returns true: other workers may already have taken its work. It fails with [ErrPlaceLost] if
// another place has the store.
func (s *Store) RenewWorker(ctx context.Context, w Worker, p Place) (expired bool, err error) {
	err = s.writeUrgent(ctx, placeKey, func(t *tx) error {
		if err := t.byServerClock(); err != nil {
			return err
		}
		now, err := t.place()
		if err != nil {
			return err
		}
		if now.Claim != p.Claim {
			return ErrPlaceLost
		}
		n, err := t.Exec(`UPDATE workers SET held_until = ?, since = CASE WHEN held_until <= ? THEN ? ELSE since END WHERE id = ?`,
			t.now+w.TTL.Microseconds(), t.now, t.now, w.ID)
		if expired = n == 0; err != nil || !expired {
			return err
		}
		return t.insertWorker(w, p)
	})
	return expired && err == nil, err
}

// ExpireWorkers deletes the workers that have not renewed in time. It deletes none before by has
// renewed in time for a whole TTL: while the database is away, no worker can renew.
func (s *Store) ExpireWorkers(ctx context.Context, by Worker) (ids []string, err error) {
	const expired = `held_until <= ? AND EXISTS (SELECT 1 FROM workers AS self WHERE self.id = ? AND self.held_until > ? AND self.since <= ?)`
	q := s.read(ctx)
	now, err := s.serverNow(q)
	if err != nil {
		return nil, err
	}
	since := now - by.TTL.Microseconds()
	var one int
	if found, err := q.Value(&one, `SELECT 1 FROM workers WHERE `+expired+` LIMIT 1`, now, by.ID, now, since); err != nil || !found {
		return nil, err
	}
	err = s.writeUrgent(ctx, placeKey, func(t *tx) error {
		ids = nil
		if err := t.All(&ids, `DELETE FROM workers WHERE `+expired+` RETURNING id`, now, by.ID, now, since); err != nil {
			return err
		}
		_, err := t.Exec(`UPDATE mcp_servers SET gone = ? WHERE gone = 0 AND worker NOT IN (SELECT id FROM workers)`, t.now)
		if err != nil {
			return err
		}
		return t.releaseSending()
	})
	return ids, err
}

// DeregisterWorker deletes a worker that has ended.
func (s *Store) DeregisterWorker(ctx context.Context, id string) error {
	return s.writeUrgent(ctx, "", func(t *tx) error {
		if err := t.byServerClock(); err != nil {
			return err
		}
		if n, err := t.Exec(`DELETE FROM workers WHERE id = ?`, id); err != nil || n == 0 {
			return err
		}
		return t.beginOutage()
	})
}

// Workers returns the ids of the living workers.
func (s *Store) Workers(ctx context.Context) (map[string]bool, error) {
	var ids []string
	err := s.read(ctx).All(&ids, `SELECT id FROM workers`)
	alive := map[string]bool{}
	for _, id := range ids {
		alive[id] = true
	}
	return alive, err
}

// workerOf returns the id of the worker that has registered with this Store; empty: none.
func workerOf(s *Store) string {
	if id := s.worker.Load(); id != nil {
		return *id
	}
	return ""
}
