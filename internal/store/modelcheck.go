package store

import (
	"context"
	"encoding/json"
	"time"

	"errand/internal/core"
)

const modelCheckKey = "model-check:"

// A ModelCheck is the stored result of a successful check of a model.
type ModelCheck struct {
	Config string    `json:"config"` // a hash of the model's configuration
	Note   string    `json:"note,omitempty"`
	At     time.Time `json:"at"`
}

// SaveModelCheck stores a successful check of a model and books its cost for person. It books a
// failed check but does not store it.
func (s *Store) SaveModelCheck(ctx context.Context, model string, check ModelCheck, ok bool, person core.PersonID, usage []core.Usage) error {
	text, err := json.Marshal(check)
	if err != nil {
		return err
	}
	return s.write(ctx, "", func(t *tx) error {
		b := &StepInput{Key: core.StepKey{Owner: "model-check"}, Person: person}
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

// LastModelCheck returns the stored check of a model; zero: none.
func (s *Store) LastModelCheck(ctx context.Context, model string) (check ModelCheck, err error) {
	var text string
	found, err := s.read(ctx).Value(&text, `SELECT value FROM meta WHERE key = ?`, modelCheckKey+model)
	if err == nil && found {
		err = json.Unmarshal([]byte(text), &check)
	}
	return check, err
}
