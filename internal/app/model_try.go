package app

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/llm/background"
	"errand/internal/texts"
)

// A ModelTrial is the result of a successful trial of a model.
type ModelTrial struct {
	Says string // one line for the operator

	// What errand's price list does not have; zero: nothing.
	Vision        *bool
	ContextTokens int
	Price         *config.Price
}

// A ModelError says why a model cannot be used.
type ModelError struct {
	Says string // one line for the operator; never contains a key

	// The most likely cause, if it is one of these.
	BadKey, BadName, BadAddress bool
}

func (e *ModelError) Error() string { return e.Says }

const tried = time.Minute // a person waits for the result

// TryModel tries a model, which need not be configured. It starts and stores nothing. It returns
// a [*ModelError] if the model answers badly or not at all.
func TryModel(ctx context.Context, p config.Provider) (ModelTrial, error) {
	t, err := newTrier(p)
	if err != nil {
		return ModelTrial{}, err
	}
	found, err := t.call(ctx, (*llm.Client).Try)
	if err != nil {
		return ModelTrial{}, err
	}
	state := t.state(found, nil)
	if !state.OK {
		return ModelTrial{}, &ModelError{Says: t.line(state), BadName: true}
	}
	return t.result(found, t.line(state)), nil
}

// ListModels returns the models that a provider offers, those in errand's price list first. The list
// is empty if the provider publishes none. It returns a [*ModelError] if the provider refuses the
// request or cannot be reached. p needs no name.
func ListModels(ctx context.Context, p config.Provider) ([]string, error) {
	p.Name = cmp.Or(p.Name, llm.HostOf(p.BaseURL))
	t, err := newTrier(p)
	if err != nil {
		return nil, err
	}
	found, err := t.call(ctx, (*llm.Client).List)
	return listedFirst(p.BaseURL, found.Models), err
}

// A trier calls a model that need not be configured.
type trier struct {
	client  *llm.Client
	model   llm.Model
	key     config.Secret
	phrases texts.Texts
}

const trierModel = "tried" // the key of its only model

func newTrier(p config.Provider) (*trier, error) {
	list, err := models(&config.Config{Models: map[string]config.Model{trierModel: {Providers: []config.Provider{p}}}})
	if err != nil {
		return nil, err
	}
	client, err := llm.New(llm.Config{Models: list})
	if err != nil {
		return nil, err
	}
	catalog, err := texts.New(nil)
	if err != nil {
		return nil, err
	}
	return &trier{client, list[trierModel], p.APIKey, catalog.For(texts.English)}, nil
}

func (t *trier) call(ctx context.Context, call func(*llm.Client, context.Context, string) (llm.Trial, error)) (llm.Trial, error) {
	limited, cancel := context.WithTimeout(ctx, tried)
	defer cancel()
	found, err := call(t.client, limited, trierModel)
	var e *llm.Error
	switch {
	case ctx.Err() != nil:
		return llm.Trial{}, ctx.Err()
	case err == nil:
		return found, nil
	case limited.Err() != nil:
		return llm.Trial{}, &ModelError{Says: t.line(core.ModelState{Name: t.provider().Model, Says: t.phrases.Localize("model.slow")})}
	case !errors.As(err, &e):
		return llm.Trial{}, err
	}
	failed := &ModelError{Says: t.line(t.state(found, e))}
	switch e.Why() {
	case llm.BadKey, llm.Forbidden:
		failed.BadKey = true
	case llm.NoModel, llm.NoTools:
		failed.BadName = true
	case llm.NoProvider, llm.NoConnection, llm.UnknownHost:
		failed.BadAddress = true
	}
	return llm.Trial{}, failed
}

func (t *trier) provider() llm.Provider { return t.model.Providers[0] }

func (t *trier) state(found llm.Trial, failure *llm.Error) core.ModelState {
	return background.TrialState(t.phrases, t.provider(), found, failure, t.client.Sees(trierModel))
}

// line returns a state as one line without the key, which a provider may repeat in its answer.
func (t *trier) line(s core.ModelState) string {
	if key := t.key.Reveal(); len(key) >= core.MinSecret {
		return strings.ReplaceAll(s.Line(), key, t.key.String())
	}
	return s.Line()
}

func (t *trier) result(found llm.Trial, says string) ModelTrial {
	out, listed := ModelTrial{Says: says}, t.provider()
	if listed.Vision == nil && found.Looked {
		sees := t.client.Sees(trierModel)
		out.Vision = &sees
	}
	if t.model.ContextTokens == 0 {
		out.ContextTokens = found.ContextTokens
	}
	if p := found.Price; listed.Price == nil && p.Source != llm.PriceUnknown {
		out.Price = &config.Price{Input: p.Input, Output: p.Output, Cached: p.Cached}
	}
	return out
}

func listedFirst(baseURL string, names []string) []string {
	unlisted := func(name string) int {
		if full, _ := (llm.Provider{BaseURL: baseURL, Model: name}).WithPriceList(); full.Price != nil {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(unlisted(a), unlisted(b)) })
	return names
}
