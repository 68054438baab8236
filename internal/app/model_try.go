package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"errand/activities"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/llm/background"
	"errand/internal/texts"
)

// A ModelTrial is the result of a trial of a model.
type ModelTrial struct {
	OK     bool
	Says   string   // one line for the operator; never contains a key
	Models []string // what the provider offers, those in errand's price list first; empty: unknown

	// The most likely cause, if it is one of these.
	BadKey, BadName, BadAddress bool

	// What the trial found out and errand's price list does not have; zero: nothing.
	Vision        *bool
	ContextTokens int
	Price         *config.Price
}

const tried = time.Minute // a person waits for the result

// TryModel tries a model, which need not be configured. It starts and stores nothing. It returns
// an error only if ctx ends or if the model cannot be called at all.
func TryModel(ctx context.Context, p config.Provider) (ModelTrial, error) {
	return tryModel(ctx, p, (*llm.Client).Try)
}

// ListModels asks a provider only for its list of models, as [TryModel] does too. p needs no name.
func ListModels(ctx context.Context, p config.Provider) (ModelTrial, error) {
	p.Name = cmp.Or(p.Name, "?")
	return tryModel(ctx, p, (*llm.Client).List)
}

func tryModel(ctx context.Context, p config.Provider, call func(*llm.Client, context.Context, string) (llm.Trial, error)) (ModelTrial, error) {
	const name = "tried"
	list, err := models(&config.Config{Models: map[string]config.Model{name: {Providers: []config.Provider{p}}}})
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
	found, err := call(client, limited, name)
	known := list[name].Providers[0]
	state := core.ModelState{Name: p.Name, OK: err == nil && found.Tools, Says: phrases.Localize("model.toolless")}
	t := ModelTrial{OK: state.OK, BadName: err == nil && !found.Tools, Models: knownFirst(p.BaseURL, found.Models)}
	var e *llm.Error
	switch {
	case ctx.Err() != nil:
		return ModelTrial{}, ctx.Err()
	case err == nil:
		t.fill(known, list[name].ContextTokens, found, client.Sees(name))
		if state.OK {
			state.Says, state.Price = phrases.Localize(background.AbleText(client.Sees(name))), background.PriceText(phrases, cmp.Or(known.Price, &found.Price))
		}
	case limited.Err() != nil:
		state.Says = phrases.Localize("model.slow")
	case !errors.As(err, &e):
		return ModelTrial{}, err
	default:
		state.Says = activities.FailureText(phrases, e, true)
		t.blame(e.Why())
	}
	t.Says = state.Line()
	if key := p.APIKey.Reveal(); len(key) >= core.MinSecret { // a provider may repeat the key in its answer
		t.Says = strings.ReplaceAll(t.Says, key, p.APIKey.String())
	}
	return t, nil
}

func (t *ModelTrial) fill(known llm.Provider, contextTokens int, found llm.Trial, sees bool) {
	if known.Vision == nil && found.Looked {
		t.Vision = &sees
	}
	if contextTokens == 0 {
		t.ContextTokens = found.ContextTokens
	}
	if p := found.Price; known.Price == nil && p.Source != llm.PriceUnknown {
		t.Price = &config.Price{Input: p.Input, Output: p.Output, Cached: p.Cached}
	}
}

func (t *ModelTrial) blame(why llm.Reason) {
	switch why {
	case llm.BadKey, llm.Forbidden:
		t.BadKey = true
	case llm.NoModel, llm.NoTools:
		t.BadName = true
	case llm.NoProvider, llm.NoConnection, llm.UnknownHost:
		t.BadAddress = true
	}
}

func knownFirst(baseURL string, names []string) []string {
	unknown := func(name string) int {
		if full, _ := (llm.Provider{BaseURL: baseURL, Model: name}).Known(); full.Price != nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(unknown(a), unknown(b)) })
	return names
}
