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

// A Worker is a process that uses the store.
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
		if err := t.forgetWorkers(w); err != nil {
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
		_, err = t.Exec(`INSERT INTO workers (id, home, claim, held_until) VALUES (?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET claim = excluded.claim, held_until = excluded.held_until`, w.ID, w.Home, p.Claim, t.now+w.TTL.Microseconds())
		return err
	})
	return from, err
}

// forgetWorkers deletes the earlier worker of this home and expired workers. On SQLite it
// deletes all others, because only one process uses the file.
func (t *tx) forgetWorkers(w Worker) error {
	_, err := t.Exec(`DELETE FROM workers WHERE id <> ? AND (home = ? OR held_until <= ? OR ?)`, w.ID, w.Home, t.now, !t.s.db.Postgres())
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

// RenewWorker extends the lease of w. It fails with [ErrPlaceLost] if another place has the store.
func (s *Store) RenewWorker(ctx context.Context, w Worker, p Place) error {
	return s.writeUrgent(ctx, placeKey, func(t *tx) error {
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
		_, err = t.Exec(`INSERT INTO workers (id, home, claim, held_until) VALUES (?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET held_until = excluded.held_until`, w.ID, w.Home, p.Claim, t.now+w.TTL.Microseconds())
		return err
	})
}

// DeregisterWorker deletes a worker that has ended.
func (s *Store) DeregisterWorker(ctx context.Context, id string) error {
	return s.writeUrgent(ctx, "", func(t *tx) error {
		_, err := t.Exec(`DELETE FROM workers WHERE id = ?`, id)
		return err
	})
}

// Workers returns the ids of the living workers.
func (s *Store) Workers(ctx context.Context) (map[string]bool, error) {
	q := s.read(ctx)
	now, err := s.serverNow(q)
	if err != nil {
		return nil, err
	}
	var ids []string
	err = q.All(&ids, `SELECT id FROM workers WHERE held_until > ?`, now)
	alive := map[string]bool{}
	for _, id := range ids {
		alive[id] = true
	}
	return alive, err
}
