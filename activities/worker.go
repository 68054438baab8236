package activities

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"errand/internal/core"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/texts"
)

// A worker has what all activities of this process need.
type worker struct {
	store    *store.Store
	logger   *slog.Logger
	texts    *texts.Catalog
	language string // of people who have not chosen one
	probe    probe.Func
	warned   atomic.Int64 // when work of another store was last logged, in Unix seconds
}

func newWorker(d Deps) *worker {
	return &worker{store: d.Store, logger: d.Logger, texts: d.Texts, language: d.Language, probe: d.Probe}
}

// at returns a retryable error if the work belongs to another store: that store's worker may be
// starting.
func (w *worker) at(id string) error {
	if id == w.store.ID() {
		return nil
	}
	w.warnWrongStore(id)
	return failed(store.ErrWrongStore)
}

func (w *worker) warnWrongStore(id string) {
	now, last := time.Now().Unix(), w.warned.Load()
	if now-last < 60 || !w.warned.CompareAndSwap(last, now) {
		return
	}
	w.logger.Warn("this worker's queue has work of another store and does not run it: start a worker of that store in its own namespace, "+
		"or terminate its workflows", "store", id, "own", w.store.ID())
}

func (w *worker) phrases(language string) texts.Texts { return w.texts.For(language, w.language) }

func (w *worker) text(language, key string, args ...string) string {
	return w.phrases(language).Localize(key, args...)
}

// stepOf returns the step of a call with the person's current role: a tool never has more rights
// than when its call was planned, and loses the rights that were removed since.
func (w *worker) stepOf(ctx context.Context, call store.Call) (*store.StepInput, error) {
	b := &store.StepInput{Key: call.Key.StepKey, Session: call.Session, SessionKey: call.Origin.SessionKey, Route: call.Origin.Route,
		Person: call.Person, Agent: call.Agent, Task: call.Task, Role: call.Origin.Role}
	if call.Person == "" || call.Person == core.Everyone {
		return b, nil
	}
	person, err := w.store.Person(ctx, call.Person)
	switch {
	case errors.Is(err, store.ErrNotFound): // removed: no more than a stranger
		b.Role = core.Lesser(b.Role, core.Guest)
	case err != nil:
		return nil, err
	default:
		b.Role, b.Language = core.Lesser(b.Role, person.Role), person.Language
	}
	return b, nil
}
