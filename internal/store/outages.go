package store

import (
	"context"
	"encoding/json"
	"fmt"

	"errand/internal/core"
	"errand/internal/store/sqldb"
)

const (
	outagesKey = "outages"
	maxOutages = 100
)

// outages has the latest periods without a worker, oldest first.
type outages struct {
	Stopped int64         `json:"stopped,omitempty"` // when the last worker deregistered; 0: a worker is registered, or the last one died
	List    []core.Outage `json:"list"`
}

// Outages returns the latest periods in which no worker was alive, oldest first. After a crash, an
// outage starts when the dead worker last renewed its lease.
func (s *Store) Outages(ctx context.Context) ([]core.Outage, error) {
	known, err := readOutages(s.read(ctx))
	return known.List, err
}

func readOutages(q sqldb.Querier) (known outages, err error) {
	var raw string
	found, err := q.Value(&raw, `SELECT value FROM meta WHERE key = ?`, outagesKey)
	if err == nil && found {
		if err = json.Unmarshal([]byte(raw), &known); err != nil {
			err = fmt.Errorf("read outages: %w", err)
		}
	}
	return known, err
}

func (t *tx) writeOutages(known outages) error {
	raw, err := json.Marshal(known)
	if err != nil {
		return err
	}
	_, err = t.Exec(`INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`, outagesKey, string(raw))
	return err
}

// endOutage records the outage that ends because w registers. It records none while another
// worker is alive. It must run before dead workers are deleted.
func (t *tx) endOutage(w Worker) error {
	var last struct{ Held, Alive int64 }
	_, err := t.Row(&last, `SELECT COALESCE(MAX(held_until), 0) AS held,
		COALESCE(SUM(CASE WHEN id = ? OR home <> ? AND held_until > ? AND ? THEN 1 ELSE 0 END), 0) AS alive FROM workers`, w.ID, w.Home, t.now, t.s.db.Postgres())
	if err != nil || last.Alive > 0 {
		return err
	}
	known, err := readOutages(t)
	if err != nil {
		return err
	}
	from := max(known.Stopped, last.Held-w.TTL.Microseconds())
	if from <= 0 || from >= t.now {
		return nil
	}
	known.Stopped = 0
	known.List = append(known.List, core.Outage{From: at(from), To: at(t.now)})
	known.List = known.List[max(0, len(known.List)-maxOutages):]
	return t.writeOutages(known)
}

// beginOutage records the current time if no worker is left.
func (t *tx) beginOutage() error {
	var one int
	if found, err := t.Value(&one, `SELECT 1 FROM workers LIMIT 1`); err != nil || found {
		return err
	}
	known, err := readOutages(t)
	if err != nil {
		return err
	}
	known.Stopped = t.now
	return t.writeOutages(known)
}
