package app

import (
	"context"
	"errors"
	"strings"
	"time"

	"errand/activities"
	"errand/internal/config"
	"errand/internal/llm"
	"errand/internal/modelcheck"
	"errand/internal/texts"
)

// A ModelTrial is what came of calling a model.
type ModelTrial struct {
	OK   bool
	Says string // to the person who runs errand; no key is in it

	// What is most likely wrong, if one of them is.
	BadKey, BadName, BadAddress bool
}

const tried = time.Minute // that a person waits for the check of a model

// TryModel calls a model that need not be configured, in the way of doctor. It starts
// nothing and keeps nothing. It fails only if ctx ends, or the model cannot be called at all.
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
	_, toolless, err := modelcheck.Try(limited, client, name)
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
		if key := p.APIKey.Reveal(); key != "" { // a provider may repeat what it was sent
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
