// Package modelcheck knows whether the configured models answer. It tries them at
// start and when somebody asks, and sees how every call ends.
package modelcheck

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

	"errand"
	"errand/activities"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/texts"
)

// remembered is how long a model that has answered is not called again at start.
const remembered = 24 * time.Hour

// Config is what a Checker needs.
type Config struct {
	Models   map[string]llm.Model // by their keys
	Client   *llm.Client
	Store    *store.Store
	Texts    *texts.Catalog
	Language string
	Owner    errand.PersonID // who pays for the call at start
	Logger   *slog.Logger
}

// A Checker knows how the models did when they were last called by this process.
// It is safe for concurrent use.
type Checker struct {
	Config

	mu     sync.Mutex
	states map[string]state
}

type state struct {
	failure  *llm.Error // nil: it answers, or nobody has tried
	toolless bool       // it answers, and did not call the tool it was asked to
	at       time.Time
}

// New returns a checker that knows nothing yet.
func New(cfg Config) *Checker { return &Checker{Config: cfg, states: map[string]state{}} }

// AtStart asks every model's providers for their lists of models, and makes one
// call to the model main unless it has answered within the last day. It makes no
// call while errand is paused. It reports the states of those that do not answer.
func (c *Checker) AtStart(ctx context.Context, main string) []errand.ModelState {
	for _, model := range slices.Sorted(maps.Keys(c.Models)) {
		if err := c.Client.Reach(ctx, model); err != nil {
			c.note(model, err, false)
		}
	}
	if c.untried(ctx, main) && c.resumed(ctx) {
		c.try(ctx, main, c.Owner)
	}
	var bad []errand.ModelState
	for _, s := range c.States("", true) {
		if !s.OK {
			c.Logger.Warn("a model does not answer", "model", s.Model, "name", s.Name, "why", s.Says)
			bad = append(bad, s)
		}
	}
	return bad
}

// untried reports whether a model is to be called, and takes what is remembered.
func (c *Checker) untried(ctx context.Context, model string) bool {
	if _, ok := c.Models[model]; !ok || c.state(model).failure != nil {
		return false
	}
	last, err := c.Store.LastModelCheck(ctx, model)
	if err != nil {
		c.Logger.Warn("the last check of the model is not known", "model", model, "error", err)
	}
	if last.Config != c.fingerprint(model) || time.Since(last.At) > remembered {
		return true
	}
	c.set(model, state{toolless: last.Note != "", at: last.At})
	return false
}

// resumed waits until errand is not paused and reports whether that came to be.
func (c *Checker) resumed(ctx context.Context) bool {
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

// All makes a call to every model and returns how they did, in the words of a
// language. person pays. It makes none while errand is paused.
func (c *Checker) All(ctx context.Context, person errand.PersonID, language string) ([]errand.ModelState, error) {
	if paused, err := c.Store.Paused(ctx); err != nil || paused {
		if err == nil {
			err = store.ErrPaused
		}
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, askedFor)
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

const askedFor = time.Minute // that a person who asks waits for the models

// ready is the tool that a model is asked to call: agents are nothing without.
var ready = llm.Tool{Name: "ready", Description: "Say that you are ready.", Parameters: json.RawMessage(`{"type":"object","properties":{}}`)}

// Try has a model take two steps, as in a turn: it calls a tool, and says what came of
// it. Many a server takes the first and refuses the second. Toolless is a model that
// answers and calls nothing. The usage is what they cost, whatever came of them.
func Try(ctx context.Context, client *llm.Client, model string) (usage []errand.Usage, toolless bool, err error) {
	r := llm.Request{
		Model: model, Background: true, Tools: []llm.Tool{ready}, MaxOutput: 2000,
		System:   "This is a test of the connection. Call the tool ready once, and then say in one word what it answered.",
		Messages: []errand.Message{{Speaker: errand.FromPerson, Text: "Are you ready? Then use ready to say so."}},
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
	r.Messages = append(r.Messages, errand.Message{Speaker: errand.FromAgent, Text: answer.Text, Calls: answer.Calls, State: answer.State})
	for _, call := range answer.Calls {
		r.Messages = append(r.Messages, errand.Message{Speaker: errand.FromTool, CallID: call.ID, Text: "fine"})
	}
	_, err = step()
	return usage, false, err
}

// try is [Try] for a configured model. It books what the calls cost, and reports whether
// the model has answered, or failed, before ctx ended.
func (c *Checker) try(ctx context.Context, model string, person errand.PersonID) bool {
	usage, toolless, err := Try(ctx, c.Client, model)
	ended := err != nil && ctx.Err() != nil
	var e *llm.Error
	switch {
	case ended:
	case errors.As(err, &e) && e.Kind == llm.Refused: // every turn would be
		c.set(model, state{failure: e, at: time.Now()})
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

// note keeps how a call ended. What says something about the one request, and
// nothing about the model, is left out.
func (c *Checker) note(model string, err error, toolless bool) {
	var e *llm.Error
	switch {
	case err == nil:
		c.set(model, state{toolless: toolless, at: time.Now()})
	case errors.As(err, &e) && lasting(e.Why()):
		c.set(model, state{failure: e, at: time.Now()})
	}
}

// lasting reports whether the next call will most likely fail as well.
func lasting(r llm.Reason) bool {
	switch r {
	case llm.BadKey, llm.Forbidden, llm.NoCredit, llm.NoModel, llm.NoProvider, llm.NoTools, llm.UnknownModel,
		llm.NoConnection, llm.UnknownHost, llm.Unavailable, llm.Silent:
		return true
	}
	return false
}

func (c *Checker) set(model string, s state) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.states[model] = s
}

func (c *Checker) state(model string) state {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.states[model]
}

// States are how the models did when they were last called, in the words of a
// language; who runs errand reads more of it.
func (c *Checker) States(language string, admin bool) []errand.ModelState {
	phrases := c.Texts.For(language, c.Language)
	list := []errand.ModelState{}
	for _, model := range slices.Sorted(maps.Keys(c.Models)) {
		s := c.state(model)
		out := errand.ModelState{Model: model, OK: s.failure == nil, Checked: s.at, Vision: c.Models[model].Sees()}
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

func (c *Checker) fingerprint(model string) string {
	h := sha256.New()
	for _, p := range c.Models[model].Providers {
		fmt.Fprintf(h, "%q %q %q %q\n", p.BaseURL, p.Model, p.APIKey, p.API)
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Watch returns the client of the checker, which sees how each of its calls ends.
func (c *Checker) Watch() *Watched { return &Watched{c.Client, c} }

// Watched is a client whose calls are seen by a checker.
type Watched struct {
	*llm.Client
	checker *Checker
}

// Complete makes a call as [llm.Client.Complete] does.
func (w *Watched) Complete(ctx context.Context, r llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	answer, err := w.Client.Complete(ctx, r, deltas)
	switch {
	case err != nil:
		w.checker.note(r.Model, err, false)
	case len(answer.Calls) > 0 || w.checker.state(r.Model).failure != nil:
		w.checker.note(r.Model, nil, false)
	}
	return answer, err
}
