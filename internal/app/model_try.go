package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"errand/activities"
	"errand/internal/config"
	"errand/internal/llm"
	"errand/internal/llm/background"
	"errand/internal/texts"
)

// A ModelTrial is the result of a trial call.
type ModelTrial struct {
	OK   bool
	Says string // for the operator; never contains a key

	// The most likely cause, if it is one of these.
	BadKey, BadName, BadAddress bool
}

const tried = time.Minute // a person waits for the result

// TryModel makes a trial call to a model, which need not be configured. It starts and stores
// nothing. It returns an error only if ctx ends or if the model cannot be called at all.
func TryModel(ctx context.Context, m config.Model) (ModelTrial, error) {
	const name = "tried"
	list, err := models(&config.Config{Models: map[string]config.Model{name: m}})
	if err != nil {
		return ModelTrial{}, err
	}
	client, err := llm.New(llm.Config{Models: list})
	if err != nil {
		return ModelTrial{}, err
	}
	catalog, err := texts.New(nil)
	if err != nil {
		return ModelTrial{}, err
	}
	phrases := catalog.For(texts.English)
	limited, cancel := context.WithTimeout(ctx, tried)
	defer cancel()
	_, toolless, err := background.TryModel(limited, client, name)
	var e *llm.Error
	switch {
	case ctx.Err() != nil:
		return ModelTrial{}, ctx.Err()
	case err == nil && toolless:
		return ModelTrial{OK: true, Says: phrases.Localize("model.toolless")}, nil
	case err == nil:
		return ModelTrial{OK: true, Says: phrases.Localize("model.answers")}, nil
	case limited.Err() != nil:
		return ModelTrial{Says: phrases.Localize("model.slow")}, nil
	case !errors.As(err, &e):
		return ModelTrial{}, err
	}
	t := ModelTrial{Says: activities.FailureText(phrases, e, true)}
	for _, p := range m.Providers {
		if key := p.APIKey.Reveal(); key != "" { // a provider may repeat the key in its answer
			t.Says = strings.ReplaceAll(t.Says, key, p.APIKey.String())
		}
	}
	switch e.Why() {
	case llm.BadKey, llm.Forbidden:
		t.BadKey = true
	case llm.NoModel, llm.NoTools:
		t.BadName = true
	case llm.NoProvider, llm.NoConnection, llm.UnknownHost:
		t.BadAddress = true
	}
	return t, nil
}
