package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// An Upkeep is one run of maintenance and its results.
type Upkeep struct {
	ID       string         `json:"id"` // of the workflow run
	Started  time.Time      `json:"started"`
	Finished time.Time      `json:"finished,omitzero"` // zero: it is running, or was lost
	Done     map[string]int `json:"done"`              // number of rows by kind of work
	Failed   []string       `json:"failed,omitempty"`  // stages that did not finish
}

// BeginUpkeep records the start of a run. A second call changes nothing.
func (s *Store) BeginUpkeep(ctx context.Context, id string) error {
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`INSERT INTO upkeep (id, started) VALUES (?, ?) ON CONFLICT DO NOTHING`, id, t.now)
		return err
	})
}

// EndUpkeep records the results of a run.
func (s *Store) EndUpkeep(ctx context.Context, id string, counts []Count, failed []string) error {
	done := map[string]int{}
	for _, c := range counts {
		done[c.What] += c.N
	}
	report, err := json.Marshal(Upkeep{Done: done, Failed: failed})
	if err != nil {
		return err
	}
	return s.write(ctx, "", func(t *tx) error {
		_, err := t.Exec(`INSERT INTO upkeep (id, started, finished, report) VALUES (?, ?, ?, ?)
			ON CONFLICT (id) DO UPDATE SET finished = excluded.finished, report = excluded.report`, id, t.now, t.now, string(report))
		return err
	})
}

// Upkeeps returns the latest runs, newest first. limit 0 means 10.
func (s *Store) Upkeeps(ctx context.Context, limit int) ([]Upkeep, error) {
	var rows []struct {
		ID                string
		Started, Finished int64
		Report            string
	}
	err := s.read(ctx).All(&rows, `SELECT id, started, finished, report FROM upkeep ORDER BY started DESC, id LIMIT ?`, min(orDefault(limit, 10), 1000))
	if err != nil {
		return nil, err
	}
	list := make([]Upkeep, len(rows))
	for i, r := range rows {
		if r.Report != "" {
			if err := json.Unmarshal([]byte(r.Report), &list[i]); err != nil {
				return nil, fmt.Errorf("report of upkeep %s: %w", r.ID, err)
			}
		}
		list[i].ID, list[i].Started, list[i].Finished = r.ID, at(r.Started), at(r.Finished)
	}
	return list, nil
}
