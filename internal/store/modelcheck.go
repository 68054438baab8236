package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"errand/internal/core"
)

const modelCheckKey = "model-check:"

// A ModelCheck is the stored result of a successful trial of a model.
type ModelCheck struct {
	Config        string    `json:"config"` // a hash of the model's configuration
	At            time.Time `json:"at"`
	Toolless      bool      `json:"toolless,omitempty"`
	Vision        []bool    `json:"vision,omitempty"` // of each provider
	ContextTokens int       `json:"context_tokens,omitempty"`
}

// SaveModelCheck stores a successful trial of a model. It records the usage of any trial for
// person, as that of [core.ConnectionTest], and books it in no budget.
func (s *Store) SaveModelCheck(ctx context.Context, model string, check ModelCheck, ok bool, person core.PersonID, usage []core.Usage) error {
	text, err := json.Marshal(check)
	if err != nil {
		return err
	}
	return s.write(ctx, "", func(t *tx) error {
		b := &StepInput{Key: core.StepKey{Owner: "model-check"}, Person: person, Agent: core.ConnectionTest}
		if err := t.record(b, usage); err != nil || !ok {
			return err
		}
		_, err := t.Exec(`INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
			modelCheckKey+model, string(text))
		return err
	})
}

// ModelChecks returns the stored trials, by model.
func (s *Store) ModelChecks(ctx context.Context) (map[string]ModelCheck, error) {
	var rows []struct{ Key, Value string }
	if err := s.read(ctx).All(&rows, `SELECT key, value FROM meta WHERE key LIKE ?`, modelCheckKey+"%"); err != nil {
		return nil, err
	}
	checks := map[string]ModelCheck{}
	for _, r := range rows {
		var check ModelCheck
		if err := json.Unmarshal([]byte(r.Value), &check); err != nil {
			return nil, err
		}
		checks[strings.TrimPrefix(r.Key, modelCheckKey)] = check
	}
	return checks, nil
}
