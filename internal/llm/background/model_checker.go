package background

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/texts"
)

// checkRemembered is how long a successful check lasts: a model that answered within this
// time is not called again at start.
const checkRemembered = 24 * time.Hour

// CheckerConfig holds the dependencies of a ModelChecker.
type CheckerConfig struct {
	Models   map[string]llm.Model // by key
	Client   *llm.Client
	Store    *store.Store
	Texts    *texts.Catalog
	Language string
	Owner    core.PersonID // the usage of the trial at start is recorded for this person
	Logger   *slog.Logger
}

// A ModelChecker knows whether the configured models answer. It calls them at start and on
// request, and it sees the outcome of every call of this process. It is safe for concurrent
// use.
type ModelChecker struct {
	CheckerConfig

	mu     sync.Mutex
	states map[string]checkedState
}

type checkedState struct {
	failure       *llm.Error // nil: the model answers, or was never called
	tools         toolUse
	contextTokens int // as the server says; 0: unknown
	at            time.Time
	took          time.Duration // until the last answer to a trial; 0: no answer since the start
	recalled      time.Time     // of the stored trial that was loaded last
}

type toolUse int

const (
	unknownTools toolUse = iota
	callsTools
	toolless // the model did not call the requested tool
)

// NewModelChecker returns a checker that has no results yet.
func NewModelChecker(cfg CheckerConfig) *ModelChecker {
	return &ModelChecker{CheckerConfig: cfg, states: map[string]checkedState{}}
}

// AtStart asks the providers of every model for their lists of models, and tries the model
// main unless it has answered within the last day. It tries nothing while errand is paused. It
// returns the states of the models that do not answer, and of main if it has been called.
func (c *ModelChecker) AtStart(ctx context.Context, main string) (report []core.ModelState) {
	c.Recall(ctx)
	due := time.Since(c.state(main).at) > checkRemembered
	for _, model := range slices.Sorted(maps.Keys(c.Models)) {
		if model == main && due {
			continue
		}
		if t, err := c.Client.List(ctx, model); err != nil {
			c.note(model, err, llm.Trial{})
		} else {
			c.change(model, func(s *checkedState) { s.contextTokens = cmp.Or(s.contextTokens, t.ContextTokens) })
		}
	}
	if _, ok := c.Models[main]; ok && due && c.resumed(ctx) {
		c.tryOne(ctx, main, c.Owner)
	}
	for _, s := range c.States("", true) {
		if !s.OK || s.Model == main && !s.Checked.IsZero() {
			report = append(report, s)
		}
	}
	return report
}

// Recall loads the stored trials, also those of other workers.
func (c *ModelChecker) Recall(ctx context.Context) {
	checks, err := c.Store.ModelTrials(ctx)
	if err != nil {
		c.Logger.Warn("the stored trials of the models cannot be read", "error", err)
	}
	for model := range c.Models {
		last := checks[model]
		if last.Config != c.fingerprint(model) || !last.At.After(c.state(model).recalled) {
			continue
		}
		c.Client.LearnVision(model, last.Vision)
		c.change(model, func(s *checkedState) {
			s.recalled, s.contextTokens = last.At, last.ContextTokens
			if last.At.After(s.at) {
				s.failure, s.tools, s.at = nil, callsTools, last.At
				if last.Toolless {
					s.tools = toolless
				}
			}
		})
	}
}

func (c *ModelChecker) resumed(ctx context.Context) bool {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		if paused, err := c.Store.Paused(ctx); err == nil && !paused {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
}

// Try tries a model, or all if model is empty, and returns the states of all in language. The
// usage is recorded for person, and counts in no budget. While errand is paused, Try returns
// [store.ErrPaused] and calls nothing.
func (c *ModelChecker) Try(ctx context.Context, model string, person core.PersonID, language string) ([]core.ModelState, error) {
	if paused, err := c.Store.Paused(ctx); err != nil || paused {
		if err == nil {
			err = store.ErrPaused
		}
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, maxCheckTime)
	defer cancel()
	var all sync.WaitGroup
	var mu sync.Mutex
	slow := map[string]bool{}
	for key := range c.Models {
		if model != "" && key != model {
			continue
		}
		all.Go(func() {
			if c.tryOne(limited, key, person) {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			slow[key] = true
		})
	}
	all.Wait()
	list := c.States(language, true)
	for i := range list {
		if slow[list[i].Model] {
			list[i].OK, list[i].Says = false, c.Texts.For(language, c.Language).Localize("model.slow")
		}
	}
	return list, ctx.Err()
}

const maxCheckTime = time.Minute // how long a person waits for the check

// tryOne tries a model and stores the result. It reports whether the model succeeded or failed
// before ctx ended.
func (c *ModelChecker) tryOne(ctx context.Context, model string, person core.PersonID) bool {
	t, err := c.Client.Try(ctx, model)
	ended := err != nil && ctx.Err() != nil
	var e *llm.Error
	switch {
	case ended:
	case errors.As(err, &e) && e.Kind == llm.Refused: // every turn would be refused too
		c.change(model, func(s *checkedState) { s.failure, s.at = e, time.Now() })
	default:
		c.note(model, err, t)
	}
	check := store.ModelTrial{Config: c.fingerprint(model), At: time.Now(), Toolless: !t.Tools, Vision: c.Client.Vision(model), ContextTokens: t.ContextTokens}
	if err := c.Store.SaveModelTrial(context.WithoutCancel(ctx), model, check, err == nil, person, t.Usage); err != nil {
		c.Logger.Warn("the trial of a model was not stored", "model", model, "error", err)
	}
	return !ended
}

// note records the outcome of a trial. It ignores errors that concern only one request.
func (c *ModelChecker) note(model string, err error, t llm.Trial) {
	var e *llm.Error
	if err != nil && !(errors.As(err, &e) && isLasting(e.Why())) {
		return
	}
	c.change(model, func(s *checkedState) {
		s.failure, s.contextTokens, s.at = e, cmp.Or(t.ContextTokens, s.contextTokens), time.Now()
		s.took = cmp.Or(t.Took, s.took)
		switch {
		case t.Tools:
			s.tools = callsTools
		case err == nil:
			s.tools = toolless
		}
	})
}

func isLasting(r llm.Reason) bool {
	switch r {
	case llm.BadKey, llm.Forbidden, llm.NoCredit, llm.NoModel, llm.NoProvider, llm.NoTools, llm.UnknownModel,
		llm.NoConnection, llm.UnknownHost, llm.Unavailable, llm.Silent:
		return true
	}
	return false
}

func (c *ModelChecker) change(model string, change func(*checkedState)) {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.states[model]
	change(&s)
	c.states[model] = s
}

func (c *ModelChecker) state(model string) checkedState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.states[model]
}

// States returns the results of the last calls, in language. If admin is set, they include
// details for the operator.
func (c *ModelChecker) States(language string, admin bool) []core.ModelState {
	phrases := c.Texts.For(language, c.Language)
	list := []core.ModelState{}
	for _, model := range slices.Sorted(maps.Keys(c.Models)) {
		s := c.state(model)
		first := c.Models[model].Providers[0]
		out := s.describe(phrases, first, c.Client.Sees(model), admin)
		out.Model, out.ContextTokens = model, cmp.Or(c.Models[model].ContextTokens, s.contextTokens)
		if admin {
			out.Provider = llm.HostOf(first.BaseURL)
		}
		list = append(list, out)
	}
	return list
}

// TrialState describes the outcome of a trial of a model at p; failure is nil if it answered.
func TrialState(phrases texts.Texts, p llm.Provider, t llm.Trial, failure *llm.Error, sees bool) core.ModelState {
	s := checkedState{failure: failure, tools: toolless, at: time.Now()}
	if t.Tools {
		s.tools = callsTools
	}
	p.Price = cmp.Or(p.Price, &t.Price)
	return s.describe(phrases, p, sees, true)
}

func (s checkedState) describe(phrases texts.Texts, p llm.Provider, sees, admin bool) core.ModelState {
	out := core.ModelState{
		Name: p.Model, OK: s.failure == nil && s.tools != toolless, Checked: s.at, Vision: sees,
		Price: PriceText(phrases, p.Price), Says: phrases.Localize(s.outcome(sees)),
	}
	if out.OK {
		out.Seconds = s.took.Seconds()
	}
	if s.failure != nil {
		out.Says = activities.FailureText(phrases, s.failure, admin)
	}
	return out
}

func (s checkedState) outcome(sees bool) string {
	switch {
	case s.at.IsZero():
		return "model.untried"
	case s.tools == toolless:
		return "model.toolless"
	case s.tools == unknownTools:
		return "model.answers"
	case sees:
		return "model.sees"
	}
	return "model.blind"
}

// PriceText says what a million tokens cost, and where the price comes from; nil: unknown.
func PriceText(phrases texts.Texts, p *llm.Price) string {
	if p == nil || p.Source == llm.PriceUnknown {
		return phrases.Localize("model.price_unknown")
	}
	if p.Source == llm.PriceOwn {
		return phrases.Localize("model.price_own")
	}
	source := "errand.yaml"
	switch p.Source {
	case llm.PriceListed:
		source = phrases.Localize("model.price_list", "date", llm.PriceListDate())
	case llm.PriceProvider:
		source = phrases.Localize("model.price_provider")
	}
	return phrases.Localize("model.price", "input", dollars(p.Input), "output", dollars(p.Output), "source", source)
}

func dollars(f float64) string {
	s := strconv.FormatFloat(f, 'f', -1, 64)
	if whole, part, _ := strings.Cut(s, "."); len(part) < 2 {
		s = whole + "." + (part + "00")[:2]
	}
	return "$" + s
}

func (c *ModelChecker) fingerprint(model string) string {
	h := sha256.New()
	for _, p := range c.Models[model].Providers {
		fmt.Fprintf(h, "%q %q %q %q\n", p.BaseURL, p.Model, p.APIKey, p.API)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Watch returns the checker's client. The checker records the outcome of its calls.
func (c *ModelChecker) Watch() *WatchedClient { return &WatchedClient{c.Client, c} }

// A WatchedClient reports the outcome of its calls to a checker.
type WatchedClient struct {
	*llm.Client
	checker *ModelChecker
}

// Complete works as [llm.Client.Complete] does.
func (w *WatchedClient) Complete(ctx context.Context, r llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	answer, err := w.Client.Complete(ctx, r, deltas)
	if err != nil {
		w.checker.note(r.Model, err, llm.Trial{})
	} else {
		w.checker.answered(r.Model, len(answer.Calls) > 0)
	}
	return answer, err
}

func (c *ModelChecker) answered(model string, calls bool) {
	c.change(model, func(s *checkedState) {
		if calls {
			s.tools = callsTools
		} else if s.failure == nil {
			return
		}
		s.failure, s.at = nil, time.Now()
	})
}
