package activities

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"
	"time"

	"errand"
	"errand/internal/llm"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/texts"
)

// A ThinkInput names one step of a turn.
type ThinkInput struct {
	Store   string            `json:"store"`
	Key     errand.StepKey    `json:"key"`
	Session errand.SessionKey `json:"session,omitempty"` // empty for a sub-agent
	Rows    store.Claim       `json:"rows,omitempty"`
	Results bool              `json:"results,omitempty"`
	Last    bool              `json:"last,omitempty"`   // no tools any more: the turn has to end
	Waited  bool              `json:"waited,omitempty"` // somebody sits and waits for what comes of it

	// Patience is for how long the model is tried, by the time of the attempts and
	// of the pauses between them: time in which errand was away is not the model's.
	Patience time.Duration `json:"patience"`
}

// Think is one model call between two transactions. The first takes what the
// step is about and reserves its cost; the second commits the outcome, and with
// it everything that follows from it: task rows, the reply, the next state of
// the turn. A second attempt of a step that has an outcome gets that one, and
// no model is called.
//
// Whatever cannot get better by trying again is an outcome too: the person is
// told why there is no answer.
func (a *Activities) Think(ctx context.Context, in ThinkInput) (store.StepResult, error) {
	out, err := a.runStep(ctx, in)
	if err == nil {
		err = a.follow(ctx, in.Key, in.Waited, &out)
	}
	// The model has its answer to these; the workflow has nothing to do for them.
	out.Calls = slices.DeleteFunc(out.Calls, func(c store.PlannedCall) bool { return c.By == store.ByNobody })
	return out, err
}

// follow does what a step has given rise to: it starts the tasks that the step made,
// and tells whoever asked for the task that it ended. It may be done again.
func (a *Activities) follow(ctx context.Context, key errand.StepKey, waited bool, out *store.StepResult) error {
	ctx = context.WithoutCancel(ctx) // the outcome is there
	for i := range out.Calls {
		call := &out.Calls[i]
		if call.By != store.ByDelegation || call.Ended {
			continue
		}
		task, err := a.Store.Task(ctx, call.Task)
		if err != nil {
			return failed(err)
		}
		if call.Ended = task.State.Terminal(); call.Ended {
			continue
		}
		if err := a.Sessions.StartTask(ctx, task, waited && call.Waits); err != nil {
			return failed(err)
		}
	}
	id, _, _ := key.Owner.Task()
	asks := slices.ContainsFunc(out.Calls, func(c store.PlannedCall) bool { return c.Question != "" && !c.Ended })
	if id == "" || out.Ended == "" && !asks {
		return nil
	}
	task, err := a.Store.Task(ctx, id)
	if err != nil {
		return failed(err)
	}
	if out.Ended == "" {
		a.showTaskState(ctx, id)
		return failed(a.Sessions.StartWebhooks(ctx, task))
	}
	return a.signalFinished(ctx, task, true)
}

// showTaskState has Temporal's list show whether an open task waits for a person. What is lost
// here the next change of its state makes up for.
func (a *Activities) showTaskState(ctx context.Context, id errand.TaskID) {
	if err := a.Sessions.ShowTaskState(context.WithoutCancel(ctx), id); err != nil {
		a.Logger.Warn("Temporal does not show the state of a task yet", "task", id, "error", err)
	}
}

func (a *Activities) runStep(ctx context.Context, in ThinkInput) (result store.StepResult, failure error) {
	began := time.Now()
	if err := a.at(in.Store); err != nil {
		return store.StepResult{}, err
	}
	defer beat(ctx)()
	a.Probe.At(probe.BeforeT1)
	input, release, err := a.beginPlaced(ctx, in)
	defer release()
	defer func() { a.observeStep(began, input, result, failure) }()
	var budget *store.BudgetError
	switch {
	case errors.As(err, &budget) && input != nil:
		return a.overBudget(ctx, input, budget)
	case err != nil:
		if errors.Is(err, store.ErrClosed) {
			a.cancelAbandoned(ctx)
		}
		return store.StepResult{}, failed(err)
	case input.Done != nil:
		return *input.Done, nil
	case input.Empty != nil:
		return *input.Empty, nil
	}
	in.Last = in.Last || a.lastStep(input)
	if err := a.readRegistered(ctx, input); err != nil {
		return store.StepResult{}, failed(err)
	}
	if err := a.countUncounted(ctx, input); err != nil {
		if errors.As(err, &budget) {
			return a.refuse(ctx, store.CommitStep{Step: input, Text: a.overspent(input, budget)})
		}
		return store.StepResult{}, failed(err)
	}
	if err := a.showPictures(ctx, input); err != nil {
		return store.StepResult{}, failed(err)
	}
	a.step(input, "doing.thinking")
	calling, end := a.withPatience(ctx, in, input)
	answer, usage, err := a.ask(calling, input, in.Last)
	end()
	a.Probe.At(probe.BeforeT2)
	if err != nil {
		return a.unanswered(ctx, in, input, usage, err)
	}
	commit := a.plan(ctx, input, answer, in.Last)
	commit.Usage = usage
	commit.EndsEarly = endsEarly(answer)
	out, err := a.commitStep(ctx, commit)
	a.Probe.At(probe.AfterT2)
	if err != nil {
		if input.Pending.ID != "" && errors.Is(err, store.ErrClosed) {
			a.cancelAbandoned(ctx)
		}
		return out, failed(err)
	}
	a.Logger.Info("step", "session", input.Session, "agent", input.Agent, "owner", input.Key.Owner,
		"turn", input.Key.Turn, "step", input.Key.Step, "calls", len(out.Calls), "tokens", out.Tokens)
	if commit.AskAgain != "" && input.Task == nil {
		a.publish(input, errand.EventReset, "") // the reply that was shown as it was written is none
	}
	if commit.HandOver != nil && out.Agent == commit.HandOver.To {
		a.handedOver(input, input.Agent, out.Agent, "model")
	}
	out.Outbox = a.notifyNow(ctx, out.Outbox)
	return out, nil
}

// endsEarly is why an answer is not whole; empty where it is.
func endsEarly(answer llm.Response) string {
	switch {
	case answer.Filtered:
		return errand.Withheld
	case answer.Truncated:
		return errand.CutOff
	}
	return ""
}

func stopped(phrases texts.Texts, budget *store.BudgetError) string {
	what, decimals := budget.What, -1
	switch {
	case what == "calls" && budget.Limit == 1:
		what = "call"
	case what == "cost" && budget.Limit != math.Trunc(budget.Limit):
		decimals = 2
	}
	limit := phrases.Localize("budget.amount."+what, "number", phrases.Number(budget.Limit, decimals))
	return phrases.Localize("budget."+budget.Budget, "limit", limit)
}

// lastStep reports whether the agent has used up the steps of its own bound.
func (a *Activities) lastStep(b *store.StepInput) bool {
	agent, ok := a.Roster.Agent(b.Agent)
	return ok && b.Key.Step >= agent.MaxSteps
}

// beginTranscribed begins a step after the voice messages that it takes have been transcribed.
func (a *Activities) beginTranscribed(ctx context.Context, in ThinkInput) (*store.StepInput, error) {
	input, err := a.begin(ctx, in)
	for errors.Is(err, store.ErrUntranscribed) {
		if err := a.transcribe(ctx, in); err != nil {
			return nil, err
		}
		input, err = a.begin(ctx, in)
	}
	return input, err
}

// begin is the first transaction of a step. Who leads a session is decided between
// two attempts at it, where the store cannot tell.
func (a *Activities) begin(ctx context.Context, in ThinkInput) (*store.StepInput, error) {
	here := a.Accounts.OfSession(a.Roster, in.Session)
	rules := a.stepRules(here, in.Session)
	step := store.BeginStep{
		Key: in.Key, Session: in.Session, Rows: in.Rows, NeedTranscripts: true, Results: in.Results, Window: a.Window, Approved: true,
		Leaders: rules.leaders, Primary: here.Primary().Name, Reserve: store.Reserve{Prompts: rules.prompts, Answer: answerTokens, Scale: a.scales(), Sees: a.seeing()},
	}
	for {
		input, err := a.Store.BeginStep(ctx, step)
		var undecided *store.UndecidedError
		switch {
		case !errors.As(err, &undecided):
			if err == nil && input.TakeoverCause != "" {
				a.handedOver(input, input.TakenOverFrom, input.Agent, input.TakeoverCause)
			}
			return input, err
		case undecided.Lead != nil:
			step.Decisions = append(step.Decisions, a.decideLead(here, *undecided.Lead))
		default:
			step.Consents = append(step.Consents, consent(*undecided.Answer))
		}
	}
}

// overspent is what a step says for which a budget has nothing left. A task is not tried
// again by a word in the chat.
func (a *Activities) overspent(input *store.StepInput, budget *store.BudgetError) string {
	phrases := a.Texts.For(input.Language, a.Language)
	text := stopped(phrases, budget)
	if input.Task == nil {
		text += " " + phrases.Localize("budget.again."+budget.Budget)
	}
	return text
}

// overBudget ends the turn of a step for which nothing could be reserved. A task
// whose first step it is has not begun: it is rejected.
func (a *Activities) overBudget(ctx context.Context, input *store.StepInput, budget *store.BudgetError) (store.StepResult, error) {
	rejected := input.Task != nil && input.Key.Turn == 1 && input.Key.Step == 1
	return a.refuse(ctx, store.CommitStep{Step: input, Text: a.overspent(input, budget), Rejected: rejected})
}

// refuse commits an outcome in errand's own words. A person may have it tried again
// whatever it was: a setting may be mended since, a budget raised, and a model answers
// otherwise another time. The words say what helps first.
func (a *Activities) refuse(ctx context.Context, c store.CommitStep) (store.StepResult, error) {
	out, ok, err := a.commitHeld(ctx, c.Step, c.Usage)
	if !ok {
		c.Failed, c.Options = true, []string{a.text(c.Step.Language, "model.try_again")}
		out, err = a.commitStep(ctx, c)
		err = failed(err)
	}
	if c.Step.Pending.ID != "" {
		a.cancelAbandoned(ctx)
	}
	return out, err
}

// A GiveUpInput names a step that got no answer in time.
type GiveUpInput struct {
	Store   string            `json:"store"`
	Key     errand.StepKey    `json:"key"`
	Session errand.SessionKey `json:"session,omitempty"`
	Rows    store.Claim       `json:"rows,omitempty"`
	Results bool              `json:"results,omitempty"`
}

// GiveUp ends a turn whose model did not answer in time. Results that the turn
// was to tell go out in the sub-agents' own voices; a person who wrote is told
// that there is no answer.
func (a *Activities) GiveUp(ctx context.Context, in GiveUpInput) (store.StepResult, error) {
	if err := a.at(in.Store); err != nil {
		return store.StepResult{}, err
	}
	input, err := a.Store.BeginStep(ctx, store.BeginStep{Key: in.Key, Session: in.Session, Rows: in.Rows, Results: in.Results, Window: heldWindow})
	if budget := (*store.BudgetError)(nil); errors.As(err, &budget) && input != nil {
		err = nil // no model is called here
	}
	switch {
	case err != nil:
		return store.StepResult{}, failed(err)
	case input.Done != nil:
		out := *input.Done
		return out, a.follow(ctx, in.Key, false, &out)
	case input.Empty != nil:
		return *input.Empty, nil
	}
	if out, ok, err := a.commitHeld(ctx, input, nil); ok {
		a.cancelAbandoned(ctx)
		return out, err
	}
	var out store.StepResult
	if input.Cause != store.CauseResults || input.Task != nil {
		if out, err = a.refuse(ctx, store.CommitStep{Step: input, Text: a.text(input.Language, "model.given_up")}); err != nil {
			return out, err
		}
	}
	rows, err := a.Store.FoldFailed(ctx, in.Key.Owner, in.Key.Turn)
	if err != nil {
		return out, failed(err)
	}
	a.cancelAbandoned(ctx)
	out.Failed = true
	out.Outbox = append(out.Outbox, rows...)
	a.Metrics.Turns.Observe(time.Since(input.Began), string(input.Cause), "failed")
	return out, a.follow(ctx, in.Key, false, &out)
}

func (a *Activities) step(b *store.StepInput, doing texts.Key) {
	a.publishStep(b, "", a.text(b.Language, string(doing)))
}

// publishStep shows what the agent does at its step; tool is what it calls, if it does.
func (a *Activities) publishStep(b *store.StepInput, tool, doing string) {
	a.publishPassingStep(b, b.Key.Step, tool, doing)
}

func (a *Activities) publishPassingStep(b *store.StepInput, number int, tool, doing string) {
	if number > 1 {
		doing = a.text(b.Language, "step", "number", strconv.Itoa(number), "doing", doing)
	}
	ev := a.event(b, errand.EventStep, doing)
	ev.Tool = tool
	a.publishPassing(ev)
}

func (a *Activities) publish(b *store.StepInput, typ errand.EventType, text string) {
	a.publishPassing(a.event(b, typ, text))
}

func (a *Activities) event(b *store.StepInput, typ errand.EventType, text string) errand.Event {
	ev := errand.Event{Type: typ, Key: b.SessionKey, Session: b.Session, Agent: b.Agent, Text: text, Created: time.Now()}
	if b.Task != nil {
		ev.Task, ev.State = b.Task.ID, errand.Working
	} else {
		ev.Turn = b.Key.Turn
	}
	return ev
}

// publishPassing publishes what is not kept, where there is a chat.
func (a *Activities) publishPassing(ev errand.Event) {
	if ev.Key != "" {
		a.Store.Bus().Publish(ev)
	}
}
