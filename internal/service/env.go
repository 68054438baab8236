package service

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/texts"
)

// An Env has what all operations need. Store and Logger are required.
type Env struct {
	Store  *store.Store
	Logger *slog.Logger
	Rights *rights.Table // default: api.Rights()
	// Texts are errand's own texts; default: the shipped ones. Language is the default language of
	// people; empty: English.
	Texts    *texts.Catalog
	Language string
	Now      func() time.Time // the clock; default: time.Now
	// Zone is the time zone of the times that people read; default: UTC.
	Zone *time.Location
}

// complete checks e and sets its defaults.
func (e *Env) complete() error {
	switch {
	case e.Store == nil:
		return errors.New("service: no store")
	case e.Logger == nil:
		return errors.New("service: no logger")
	}
	if e.Rights == nil {
		e.Rights = api.Rights()
	}
	if e.Texts == nil {
		var err error
		if e.Texts, err = texts.New(nil); err != nil {
			return fmt.Errorf("service: %w", err)
		}
	}
	if e.Now == nil {
		e.Now = time.Now
	}
	if e.Zone == nil {
		e.Zone = time.UTC
	}
	return nil
}

// NewRunner returns a runner with the Rights and the Logger of e, without operations. Count counts
// a message and returns an error if the actor sends too many; nil: it counts none.
func NewRunner(e *Env, count func(actor.Actor) error) *ops.Runner {
	if count == nil {
		count = func(actor.Actor) error { return nil }
	}
	return &ops.Runner{
		Check: e.check, Count: count, IsRefusal: IsRefusal, Log: e.Logger,
		Changed:  Forbidden("refusal.rights_changed"),
		Internal: Refuse(KindInternal, "internal", "refusal.internal"),
	}
}

// readersTexts returns the texts in the language of the person who reads an answer. Programs read
// English, as it is shipped.
func (e *Env) readersTexts(by actor.Actor) texts.Texts {
	if by.Reads == "" {
		return texts.Shipped()
	}
	return e.Texts.For(by.Reads)
}

// taskView returns a task for an answer. People read the outcome in their language; programs read
// the stored text.
func (e *Env) taskView(by actor.Actor, t core.Task) api.Task {
	if by.Reads != "" {
		phrases := e.Texts.For(by.Reads)
		t.Result, t.Error = phrases.TaskResult(&t), phrases.TaskError(&t)
	}
	return api.Task{Task: t, Agent: t.AgentList(), Depth: t.Origin.Depth}
}
