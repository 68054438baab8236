package activities

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/texts"
)

const (
	// downAfter is how long a model may fail, with the pause before the next attempt, until the
	// person who waits reads why. A short failure is not worth a message.
	downAfter = 10 * time.Second

	// personPatience limits how long a person in a chat waits for a model that breaks off its answers
	// or does not begin them. Then they read the error and may have errand try again.
	personPatience = 2 * time.Minute

	// resultsPatience is how long task results wait with a message while the model is down. Then
	// errand delivers them without the agent.
	resultsPatience = 10 * time.Minute

	// badAnswers is how many unusable answers a model may give before the person reads the error.
	badAnswers = 4

	// The pause between attempts doubles from firstPause up to longestPause.
	firstPause   = 500 * time.Millisecond
	longestPause = 15 * time.Second
)

// withPatience sets a timeout for a step that only reports results. After that, errand delivers the
// results without the agent.
func (t *Thinker) withPatience(ctx context.Context, in wire.ThinkInput, b *store.StepInput) (context.Context, context.CancelFunc) {
	if b.Cause != store.CauseResults || b.Task != nil {
		return ctx, func() {}
	}
	return context.WithTimeoutCause(ctx, max(in.Patience-b.Attempts.Tried, 0), errFoldTimeout)
}

var errFoldTimeout = errors.New("the agent did not tell the results in time")

// unanswered schedules another attempt, or explains to the person why there is no answer. Both
// record the cost of the call.
func (t *Thinker) unanswered(ctx context.Context, in wire.ThinkInput, b *store.StepInput, usage []core.Usage, err error) (store.StepResult, error) {
	if ctx.Err() != nil { // stopped, or the worker ends: not the model's time
		count := store.FailedAttempt{Step: b, Usage: usage}
		if cerr := t.store.CountAttempt(context.WithoutCancel(ctx), count); cerr != nil {
			t.logger.Warn("cost of a model call not recorded", "session", b.Session, "agent", b.Agent, "error", cerr)
		}
		t.responses.cancelAbandoned(ctx) // if stopped; else another worker continues the answer
		return store.StepResult{}, ctx.Err()
	}
	e := modelError(err)
	phrases := t.phrases(b.Language)
	// A provider's message may contain an address or part of a key. Only admins in private read it.
	why := FailureText(phrases, e, b.Role.Includes(core.MasterAdmin) && !b.Group)
	pause := max(min(firstPause<<min(b.Attempts.Number-1, 10), longestPause), e.RetryAfter)
	tried := llm.Lost(err).Took + pause
	log := t.logger.With("session", b.Session, "agent", b.Agent, "attempt", b.Attempts.Number, "error", err)
	// A person reads that the model is down, and waits for it. A task fails instead, and results
	// are delivered without the agent.
	waits := e.IsDown() && b.Task == nil && b.Cause != store.CauseResults
	free := e.IsDown() && len(usage) == 0 // it can be repeated for a day
	switch {
	case !e.Retryable() && !waits:
		log.Warn("model call refused")
		return t.refuse(ctx, store.CommitStep{Step: b, Text: why, Usage: usage})
	case e.Kind == llm.BadAnswer && b.Attempts.Number >= badAnswers, b.Attempts.Tried+tried >= patienceFor(in, b, free), errors.Is(err, errFoldTimeout):
		log.Warn("gave up on a model call")
		if b.Attempts.Number > 1 {
			why = phrases.Localize("model.attempts", "why", why, "attempts", strconv.Itoa(b.Attempts.Number))
		}
		return t.refuse(ctx, store.CommitStep{Step: b, Text: why, Usage: usage})
	}
	log.Info("model call failed; errand will retry it", "pause", pause)
	text := phrases.Localize("model.again", "attempt", strconv.Itoa(b.Attempts.Number), "why", why, "pause", pause.Round(time.Second/2).String())
	t.publishPassing(t.event(b, core.EventStep, text))
	count := store.FailedAttempt{Step: b, Usage: usage, Tried: tried, Trouble: text}
	if in.Waited && b.Cause != store.CauseResults && free && (!e.Retryable() || b.Attempts.Tried+tried >= downAfter) {
		count.Notice = phrases.Localize("model.down", "why", why)
	}
	cerr := t.countAttempt(context.WithoutCancel(ctx), count)
	var budget *store.BudgetError
	switch {
	case errors.As(cerr, &budget):
		return t.refuse(ctx, store.CommitStep{Step: b, Text: why + " " + t.overspent(b, budget)})
	case cerr != nil:
		return store.StepResult{}, failed(cerr)
	}
	return store.StepResult{}, again(err, pause)
}

func modelError(err error) *llm.Error {
	var e *llm.Error
	if errors.As(err, &e) {
		return e
	}
	return &llm.Error{Kind: llm.Unreachable, Reason: llm.Silent}
}

// patienceFor is shorter for people if an attempt may cost money, and if results wait.
func patienceFor(in wire.ThinkInput, b *store.StepInput, free bool) time.Duration {
	switch {
	case b.Task == nil && !free:
		return min(in.Patience, personPatience)
	case b.HasResults:
		return min(in.Patience, resultsPatience)
	}
	return in.Patience
}

func (t *Thinker) countAttempt(ctx context.Context, f store.FailedAttempt) error {
	err := t.store.CountAttempt(ctx, f)
	if err != nil || f.Notice == "" {
		return err
	}
	route := f.Step.Route
	if err := t.sessions.WakeOutbox(ctx, route); err != nil { // the watchdog will wake it
		t.logger.Warn("chat will be told later that the model is down", "channel", route.Channel, "chat", route.Chat, "error", err)
	}
	return nil
}

type estimator interface {
	Estimated(model string, input int) core.Usage
}

var _ estimator = (*llm.Client)(nil)

// countUncounted records the cost of attempts during which a worker died, because the provider may
// have charged for them.
func (t *Thinker) countUncounted(ctx context.Context, b *store.StepInput) error {
	if b.Attempts.Uncounted <= 0 {
		return nil
	}
	if b.Pending.ID != "" { // the answer will be fetched, and brings its cost
		return t.store.CountUncounted(ctx, b, nil)
	}
	usage := core.Usage{Model: t.prompts.modelOf(b.Agent), InputTokens: b.PromptTokens}
	if e, ok := t.model.(estimator); ok {
		usage = e.Estimated(usage.Model, usage.InputTokens)
	}
	return t.store.CountUncounted(ctx, b, slices.Repeat([]core.Usage{usage}, b.Attempts.Uncounted))
}

// FailureText explains to people why a model has not answered. For an admin it adds the provider
// and what to do.
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

// hintText localizes errand's own hints. A provider's words stay as they are.
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

// unended removes the full stop, because errand puts the text inside a sentence of its own.
func unended(sentence string) string { return strings.TrimRight(sentence, ". \n") }
