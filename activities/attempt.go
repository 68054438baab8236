package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"errand"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/texts"
)

// For how long a model is tried.
const (
	// personPatience is for a person who sits and waits, where the model cannot be
	// reached or is down: then they are told, and may have it tried again.
	personPatience = 2 * time.Minute

	// troubleAttempts and troubleAfter are when it is said also where people do not see each
	// attempt, in the chats of platforms: whichever comes first.
	troubleAttempts = 3
	troubleAfter    = 30 * time.Second

	// badAnswers is how often a model may answer nonsense before the person is told.
	badAnswers = 4
)

// Pauses between attempts: the first, which is doubled each time, and the longest,
// for a person who waits and for everybody else.
const (
	firstPause  = 500 * time.Millisecond
	personPause = 15 * time.Second
	taskPause   = time.Minute
)

// waitedFor reports whether somebody sits and waits for the step.
func waitedFor(b *store.StepInput) bool { return b.Task == nil && b.Cause == store.CauseMessage }

// withPatience bounds a model call that only tells results: after the patience of
// its turn they are told without it.
func (a *Activities) withPatience(ctx context.Context, in ThinkInput, b *store.StepInput) (context.Context, context.CancelFunc) {
	if b.Cause != store.CauseResults || b.Task != nil {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, max(in.Patience-b.Attempts.Tried, 0), errFoldTimeout)
}

var errFoldTimeout = errors.New("the agent did not tell the results in time")

// unanswered decides what becomes of a step whose model call has failed: it is
// made again after a pause, or the person is told why there is no answer. Either
// way it is booked what the call cost.
func (a *Activities) unanswered(ctx context.Context, in ThinkInput, b *store.StepInput, usage []errand.Usage, err error) (store.StepResult, error) {
	if ctx.Err() != nil { // stopped, or this worker is ending: that is not the model's time
		count := store.FailedAttempt{Step: b, Usage: usage}
		if cerr := a.Store.CountAttempt(context.WithoutCancel(ctx), count); cerr != nil {
			a.Logger.Warn("what a model call cost is not booked", "session", b.Session, "agent", b.Agent, "error", cerr)
		}
		a.cancelAbandoned(ctx) // if it was stopped; a worker after this one goes on with what was not
		return store.StepResult{}, ctx.Err()
	}
	e := modelError(err)
	phrases := a.Texts.For(b.Language, a.Language)
	// What a provider says may have an address or the end of a key in it: others do not read that.
	why := FailureText(phrases, e, b.Role.Includes(errand.MasterAdmin) && !b.Group)
	pause := pauseAfter(b, e)
	tried := llm.Lost(err).Took + pause
	log := a.Logger.With("session", b.Session, "agent", b.Agent, "attempt", b.Attempts.Number, "error", err)
	switch {
	case !e.Retryable():
		log.Warn("model call refused")
		return a.refuse(ctx, store.CommitStep{Step: b, Text: why, Usage: usage})
	case e.Kind == llm.BadAnswer && b.Attempts.Number >= badAnswers, b.Attempts.Tried+tried >= patienceFor(in, b, e), errors.Is(err, errFoldTimeout):
		log.Warn("model call given up")
		if b.Attempts.Number > 1 {
			why = phrases.Localize("model.attempts", "why", why, "attempts", strconv.Itoa(b.Attempts.Number))
		}
		return a.refuse(ctx, store.CommitStep{Step: b, Text: why, Usage: usage})
	}
	log.Info("model call failed, will be made again", "pause", pause)
	text := phrases.Localize("model.again", "attempt", strconv.Itoa(b.Attempts.Number), "why", why, "pause", pause.Round(time.Second/2).String())
	ev := a.event(b, errand.EventStep, text)
	if b.Attempts.Number >= troubleAttempts || b.Attempts.Tried+tried >= troubleAfter {
		ev.Trouble = phrases.Localize("model.trouble", "why", why)
	}
	a.publishPassing(ev)
	count := store.FailedAttempt{Step: b, Usage: usage, Tried: tried, Trouble: text}
	cerr := a.Store.CountAttempt(context.WithoutCancel(ctx), count)
	var budget *store.BudgetError
	switch {
	case errors.As(cerr, &budget):
		return a.refuse(ctx, store.CommitStep{Step: b, Text: why + " " + a.overspent(b, budget)})
	case cerr != nil:
		return store.StepResult{}, failed(cerr)
	}
	return store.StepResult{}, again(err, pause)
}

// modelError is err as an error of a model. What is none, and not an end that
// somebody has asked for, is taken for one that may pass.
func modelError(err error) *llm.Error {
	var e *llm.Error
	if errors.As(err, &e) {
		return e
	}
	return &llm.Error{Kind: llm.Unreachable, Reason: llm.Silent}
}

func patienceFor(in ThinkInput, b *store.StepInput, e *llm.Error) time.Duration {
	limit := in.Patience
	if waitedFor(b) && e.Kind != llm.RateLimited { // which says when it is worth trying
		limit = min(limit, personPatience)
	}
	return limit
}

// pauseAfter is how long is waited before the call of a step is made again.
func pauseAfter(b *store.StepInput, e *llm.Error) time.Duration {
	longest := taskPause
	if waitedFor(b) {
		longest = personPause
	}
	return max(min(firstPause<<min(b.Attempts.Number-1, 10), longest), e.RetryAfter)
}

// estimator is a capability of models: to say what input of so many tokens costs.
type estimator interface {
	Estimated(model string, input int) errand.Usage
}

var _ estimator = (*llm.Client)(nil)

// countUncounted books attempts before this one that a worker has died over: their
// provider may have worked on them.
func (a *Activities) countUncounted(ctx context.Context, b *store.StepInput) error {
	if b.Attempts.Uncounted <= 0 {
		return nil
	}
	if b.Pending.ID != "" { // its cost comes with the answer, which is fetched
		return a.Store.CountUncounted(ctx, b, nil)
	}
	usage := errand.Usage{Model: a.modelOf(b.Agent), InputTokens: b.PromptTokens}
	if e, ok := a.Model.(estimator); ok {
		usage = e.Estimated(usage.Model, usage.InputTokens)
	}
	return a.Store.CountUncounted(ctx, b, slices.Repeat([]errand.Usage{usage}, b.Attempts.Uncounted))
}

// FailureText says why a model has not answered, to people. Who runs errand also
// reads which provider it is, and what there is to do about it. It is the one
// place that words this.
func FailureText(phrases texts.Texts, e *llm.Error, admin bool) string {
	text := phrases.Localize("model." + string(e.Why()))
	if !admin {
		return text
	}
	detail := e.Provider
	add := func(sep, s string) {
		if s != "" && detail != "" {
			s = sep + s
		}
		detail += s
	}
	if e.Status >= 400 {
		add(", ", fmt.Sprintf("HTTP %d", e.Status))
	}
	add(": ", hintText(phrases, e))
	if detail == "" {
		return text
	}
	return phrases.Localize("model.admin", "text", text, "detail", detail)
}

// hintText is what a failure says besides, in the language of whoever reads it where it
// is errand's own. What a provider says is told as it is.
func hintText(phrases texts.Texts, e *llm.Error) string {
	if e.Hint.Code == "" {
		return unended(e.Message)
	}
	text := phrases.Localize("hint."+e.Hint.Code, "about", e.Hint.About)
	if e.Hint.Detail != "" {
		text += ": " + unended(e.Hint.Detail)
	}
	return text
}

// unended is a sentence of a provider without its full stop: it stands within one of errand's.
func unended(sentence string) string { return strings.TrimRight(sentence, ". \n") }
