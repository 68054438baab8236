package store

import (
	"context"
	"encoding/json"
	"time"

	"errand"
)

const modelCheckKey = "model-check:"

// A ModelCheck is what is remembered of a model that has answered.
type ModelCheck struct {
	Config string    `json:"config"` // a hash of how it was configured
	Note   string    `json:"note,omitempty"`
	At     time.Time `json:"at"`
}

// SaveModelCheck remembers the last check of a model and books what it cost.
// person pays; a check that failed is booked, but not remembered.
func (s *Store) SaveModelCheck(ctx context.Context, model string, check ModelCheck, ok bool, person errand.PersonID, usage []errand.Usage) error {
	text, err := json.Marshal(check)
	if err != nil {
		return err
	}
	return s.write(ctx, "", func(t *tx) error {
		b := &StepInput{Key: errand.StepKey{Owner: "model-check"}, Person: person}
		spent := total(usage)
		if len(usage) > 0 && person != "" {
			row := budgetRow{Key: dayKey(person, at(t.now)), Calls: spent.Calls, Tokens: spent.Tokens, Cost: spent.Cost, Cached: spent.Cached}
			if _, err := t.book([]budgetRow{row}); err != nil {
				return err
			}
		}
		if err := t.record(b, usage); err != nil || !ok {
			return err
		}
		_, err := t.Exec(`INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
			modelCheckKey+model, string(text))
		return err
	})
}

// LastModelCheck returns what is remembered of a model; zero: nothing.
func (s *Store) LastModelCheck(ctx context.Context, model string) (check ModelCheck, err error) {
	var text string
	found, err := s.read(ctx).Value(&text, `SELECT value FROM meta WHERE key = ?`, modelCheckKey+model)
	if err == nil && found {
		err = json.Unmarshal([]byte(text), &check)
	}
	return check, err
}
