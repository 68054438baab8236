package background

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
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
	Owner    core.PersonID // pays for the call at start
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
	failure  *llm.Error // nil: the model answers, or was never called
	toolless bool       // the model answers, but did not call the requested tool
	at       time.Time
}

// NewModelChecker returns a checker that has no results yet.
func NewModelChecker(cfg CheckerConfig) *ModelChecker {
	return &ModelChecker{CheckerConfig: cfg, states: map[string]checkedState{}}
}

// AtStart asks the providers of every model for their lists of models, and calls the model
// main once unless it has answered within the last day. It makes no call while errand is
// paused. It returns the states of the models that do not answer.
func (c *ModelChecker) AtStart(ctx context.Context, main string) []core.ModelState {
	for _, model := range slices.Sorted(maps.Keys(c.Models)) {
		if err := c.Client.Reach(ctx, model); err != nil {
			c.note(model, err, false)
		}
	}
	if c.untried(ctx, main) && c.resumed(ctx) {
		c.try(ctx, main, c.Owner)
	}
	var bad []core.ModelState
	for _, s := range c.States("", true) {
		if !s.OK {
			c.Logger.Warn("a model does not answer", "model", s.Model, "name", s.Name, "why", s.Says)
			bad = append(bad, s)
		}
	}
	return bad
}

func (c *ModelChecker) untried(ctx context.Context, model string) bool {
	if _, ok := c.Models[model]; !ok || c.state(model).failure != nil {
		return false
	}
	last, err := c.Store.LastModelCheck(ctx, model)
	if err != nil {
		c.Logger.Warn("the last check of the model is not known", "model", model, "error", err)
	}
	if last.Config != c.fingerprint(model) || time.Since(last.At) > checkRemembered {
		return true
	}
	c.set(model, checkedState{toolless: last.Note != "", at: last.At})
	return false
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

// All calls every model and returns the results in language. The calls are charged to
// person. While errand is paused, All returns [store.ErrPaused] and calls nothing.
func (c *ModelChecker) All(ctx context.Context, person core.PersonID, language string) ([]core.ModelState, error) {
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
	for model := range c.Models {
		all.Go(func() {
			if c.try(limited, model, person) {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			slow[model] = true
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

// readyTool is the tool that the check asks a model to call. Agents need models that call
// tools.
var readyTool = llm.Tool{Name: "ready", Description: "Say that you are ready.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}

// TryModel takes two steps with a model, as a turn does: a tool call, then the answer to its
// result, which many servers refuse. toolless reports that the model answered without
// calling the tool. usage is complete even if TryModel returns an error.
func TryModel(ctx context.Context, client *llm.Client, model string) (usage []core.Usage, toolless bool, err error) {
	r := llm.Request{
		Model: model, Background: true, Tools: []llm.Tool{readyTool}, MaxOutput: 2000,
		System:   "This is a test of the connection. Call the tool ready once, and then say in one word what it answered.",
		Messages: []core.Message{{Speaker: core.FromPerson, Text: "Are you ready? Then use ready to say so."}},
	}
	step := func() (llm.Response, error) {
		answer, err := client.Complete(ctx, r, nil)
		if err != nil {
			usage = append(usage, llm.Lost(err).Usage...)
		} else {
			usage = append(append(usage, answer.BrokenOff...), answer.Usage)
		}
		return answer, err
	}
	answer, err := step()
	if err != nil || len(answer.Calls) == 0 {
		return usage, err == nil, err
	}
	r.Messages = append(r.Messages, core.Message{Speaker: core.FromAgent, Text: answer.Text, Calls: answer.Calls, State: answer.State})
	for _, call := range answer.Calls {
		r.Messages = append(r.Messages, core.Message{Speaker: core.FromTool, CallID: call.ID, Text: "fine"})
	}
	_, err = step()
	return usage, false, err
}

// try calls a model and records the cost. It reports whether the model succeeded or failed
// before ctx ended.
func (c *ModelChecker) try(ctx context.Context, model string, person core.PersonID) bool {
	usage, toolless, err := TryModel(ctx, c.Client, model)
	ended := err != nil && ctx.Err() != nil
	var e *llm.Error
	switch {
	case ended:
	case errors.As(err, &e) && e.Kind == llm.Refused: // every turn would be refused too
		c.set(model, checkedState{failure: e, at: time.Now()})
	default:
		c.note(model, err, toolless)
	}
	check := store.ModelCheck{Config: c.fingerprint(model), At: time.Now()}
	if toolless {
		check.Note = "no tool call"
	}
	if err := c.Store.SaveModelCheck(context.WithoutCancel(ctx), model, check, err == nil, person, usage); err != nil {
		c.Logger.Warn("the check of a model is not kept", "model", model, "error", err)
	}
	return !ended
}

// note records the outcome of a call. It ignores errors that concern only one request.
func (c *ModelChecker) note(model string, err error, toolless bool) {
	var e *llm.Error
	switch {
	case err == nil:
		c.set(model, checkedState{toolless: toolless, at: time.Now()})
	case errors.As(err, &e) && isLasting(e.Why()):
		c.set(model, checkedState{failure: e, at: time.Now()})
	}
}

func isLasting(r llm.Reason) bool {
	switch r {
	case llm.BadKey, llm.Forbidden, llm.NoCredit, llm.NoModel, llm.NoProvider, llm.NoTools, llm.UnknownModel,
		llm.NoConnection, llm.UnknownHost, llm.Unavailable, llm.Silent:
		return true
	}
	return false
}

func (c *ModelChecker) set(model string, s checkedState) {
	c.mu.Lock()
	defer c.mu.Unlock()
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
		out := core.ModelState{Model: model, OK: s.failure == nil, Checked: s.at, Vision: c.Models[model].Sees()}
		if p := c.Models[model].Providers; len(p) > 0 {
			out.Name = p[0].Model
		}
		switch {
		case s.failure != nil:
			out.Says = activities.FailureText(phrases, s.failure, admin)
		case s.at.IsZero():
			out.Says = phrases.Localize("model.untried")
		case s.toolless:
			out.Says = phrases.Localize("model.toolless")
		default:
			out.Says = phrases.Localize("model.answers")
		}
		list = append(list, out)
	}
	return list
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
	switch {
	case err != nil:
		w.checker.note(r.Model, err, false)
	case len(answer.Calls) > 0 || w.checker.state(r.Model).failure != nil:
		w.checker.note(r.Model, nil, false)
	}
	return answer, err
}
