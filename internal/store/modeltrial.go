package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"errand/internal/core"
)

const modelTrialKey = "model-trial:"

// A ModelTrial is the stored result of a successful trial of a model.
type ModelTrial struct {
	Config        string    `json:"config"` // a hash of the model's configuration
	At            time.Time `json:"at"`
	Toolless      bool      `json:"toolless,omitempty"`
	Vision        []bool    `json:"vision,omitempty"` // of each provider
	ContextTokens int       `json:"context_tokens,omitempty"`
}

// SaveModelTrial stores a successful trial of a model. It records the usage of any trial for
// person, as that of [core.ConnectionTest], and books it in no budget.
func (s *Store) SaveModelTrial(ctx context.Context, model string, trial ModelTrial, ok bool, person core.PersonID, usage []core.Usage) error {
	text, err := json.Marshal(trial)
	if err != nil {
		return err
	}
	return s.write(ctx, "", func(t *tx) error {
		b := &StepInput{Key: core.StepKey{Owner: "model-trial"}, Person: person, Agent: core.ConnectionTest}
		if err := t.record(b, usage); err != nil || !ok {
			return err
		}
		_, err := t.Exec(`INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
			modelTrialKey+model, string(text))
		return err
	})
}

// ModelTrials returns the stored trials, by model.
func (s *Store) ModelTrials(ctx context.Context) (map[string]ModelTrial, error) {
	var rows []struct{ Key, Value string }
	if err := s.read(ctx).All(&rows, `SELECT key, value FROM meta WHERE key LIKE ?`, modelTrialKey+"%"); err != nil {
		return nil, err
	}
	trials := map[string]ModelTrial{}
	for _, r := range rows {
		var trial ModelTrial
		if err := json.Unmarshal([]byte(r.Value), &trial); err != nil {
			return nil, err
		}
		trials[strings.TrimPrefix(r.Key, modelTrialKey)] = trial
	}
	return trials, nil
}
