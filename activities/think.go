package activities

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/llm"
	"errand/internal/probe"
	"errand/internal/store"
	"errand/internal/telemetry"
	"errand/internal/temporal/wire"
	"errand/internal/texts"
)

// A Thinker makes the steps of agents.
type Thinker struct {
	*worker
	*authority
	prompts   *Prompter
	planner   *planner
	pictures  *illustrator
	listener  *listener
	responses *responses
	sender    *Sender
	tasks     *Tasks
	sessions  Sessions
	model     Model
	metrics   telemetry.Metrics
	places    *limit.FairSemaphore // shared by people's turns
	window    int
	stickyFor time.Duration
}

// Think makes one model call between two transactions. The first reads the input of the step and
// reserves its cost. The second commits the outcome and everything that follows from it: task rows,
// the reply, the next state of the turn. If the step already has an outcome, Think returns it and
// calls no model.
//
// A failure that a retry cannot fix is an outcome, too: the person reads why there is no answer.
func (t *Thinker) Think(ctx context.Context, in wire.ThinkInput) (store.StepResult, error) {
	out, err := t.runStep(ctx, in)
	if err == nil {
		err = t.follow(ctx, in.Key, in.Waited, &out)
	}
	// The model has its answer to these calls. The workflow has nothing to do for them.
	out.Calls = slices.DeleteFunc(out.Calls, func(c store.PlannedCall) bool { return c.By == store.ByNobody })
	return out, err
}

// follow starts the tasks of a step and reports a task that has ended. It is idempotent.
func (t *Thinker) follow(ctx context.Context, key core.StepKey, waited bool, out *store.StepResult) error {
	ctx = context.WithoutCancel(ctx) // the outcome is committed
	for i := range out.Calls {
		call := &out.Calls[i]
		if call.By != store.ByDelegation || call.Ended {
			continue
		}
		task, err := t.store.Task(ctx, call.Task)
		if err != nil {
			return failed(err)
		}
		if call.Ended = task.State.Terminal(); call.Ended {
			continue
		}
		if err := t.sessions.StartTask(ctx, task, waited && call.Waits); err != nil {
			return failed(err)
		}
	}
	id, _, _ := key.Owner.Task()
	asks := slices.ContainsFunc(out.Calls, func(c store.PlannedCall) bool { return c.Question != "" && !c.Ended })
	if id == "" || out.Ended == "" && !asks {
		return nil
	}
	task, err := t.store.Task(ctx, id)
	if err != nil {
		return failed(err)
	}
	if out.Ended == "" {
		t.tasks.showTaskState(ctx, id)
		return failed(t.sessions.StartWebhooks(ctx, task))
	}
	return t.tasks.signalFinished(ctx, task, true)
}

func (t *Thinker) runStep(ctx context.Context, in wire.ThinkInput) (result store.StepResult, failure error) {
	began := time.Now()
	if err := t.at(in.Store); err != nil {
		return store.StepResult{}, err
	}
	t.probe.At(probe.BeforeT1)
	input, release, err := t.beginPlaced(ctx, in)
	defer release()
	defer func() { t.observeStep(began, input, result, failure) }()
	var budget *store.BudgetError
	switch {
	case errors.As(err, &budget) && input != nil:
		return t.overBudget(ctx, input, budget)
	case err != nil:
		if errors.Is(err, store.ErrClosed) {
			t.responses.cancelAbandoned(ctx)
		}
		return store.StepResult{}, failed(err)
	case input.Done != nil:
		return *input.Done, nil
	case input.Empty != nil:
		return *input.Empty, nil
	}
	in.Last = in.Last || t.lastStep(input)
	if err := t.readRegistered(ctx, input); err != nil {
		return store.StepResult{}, failed(err)
	}
	if err := t.countUncounted(ctx, input); err != nil {
		if errors.As(err, &budget) {
			return t.refuse(ctx, store.CommitStep{Step: input, Text: t.overspent(input, budget)})
		}
		return store.StepResult{}, failed(err)
	}
	if err := t.pictures.showPictures(ctx, input); err != nil {
		return store.StepResult{}, failed(err)
	}
	t.step(input, "doing.thinking")
	calling, end := t.withPatience(ctx, in, input)
	answer, usage, err := t.ask(calling, input, in.Last)
	end()
	t.probe.At(probe.BeforeT2)
	if err != nil {
		return t.unanswered(ctx, in, input, usage, err)
	}
	commit := t.planner.plan(ctx, input, answer, in.Last)
	commit.Usage = usage
	commit.EndsEarly = endsEarly(answer)
	out, err := t.commitStep(ctx, commit)
	t.probe.At(probe.AfterT2)
	if err != nil {
		if input.Pending.ID != "" && errors.Is(err, store.ErrClosed) {
			t.responses.cancelAbandoned(ctx)
		}
		return out, failed(err)
	}
	t.logger.Info("step", "session", input.Session, "agent", input.Agent, "owner", input.Key.Owner,
		"turn", input.Key.Turn, "step", input.Key.Step, "calls", len(out.Calls), "tokens", out.Tokens)
	if commit.AskAgain != "" && input.Task == nil {
		t.publish(input, core.EventReset, "") // the reply that was shown while it was written was held back
	}
	if commit.HandOver != nil && out.Agent == commit.HandOver.To {
		t.handedOver(input, input.Agent, out.Agent, "model")
	}
	out.Outbox = t.sender.notifyNow(ctx, out.Outbox)
	return out, nil
}

func endsEarly(answer llm.Response) string {
	switch {
	case answer.Filtered:
		return core.Withheld
	case answer.Truncated:
		return core.CutOff
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

func (t *Thinker) lastStep(b *store.StepInput) bool {
	agent, ok := t.roster.Agent(b.Agent)
	return ok && b.Key.Step >= agent.MaxSteps
}

func (t *Thinker) beginTranscribed(ctx context.Context, in wire.ThinkInput) (*store.StepInput, error) {
	input, err := t.begin(ctx, in)
	for errors.Is(err, store.ErrUntranscribed) {
		if err := t.listener.transcribe(ctx, in); err != nil {
			return nil, err
		}
		input, err = t.begin(ctx, in)
	}
	return input, err
}

func (t *Thinker) begin(ctx context.Context, in wire.ThinkInput) (*store.StepInput, error) {
	here := t.accounts.OfSession(t.roster, in.Session)
	rules := t.prompts.stepRules(here, in.Session)
	step := store.BeginStep{
		Key: in.Key, Session: in.Session, Rows: in.Rows, NeedTranscripts: true, Results: in.Results, Window: t.window, Approved: true,
		Leaders: rules.leaders, Primary: here.Primary().Name, Reserve: store.Reserve{Prompts: rules.prompts, Answer: answerTokens, Scale: t.scales(), Sees: t.pictures.seeing()},
	}
	for {
		input, err := t.store.BeginStep(ctx, step)
		var undecided *store.UndecidedError
		switch {
		case !errors.As(err, &undecided):
			if err == nil && input.TakeoverCause != "" {
				t.handedOver(input, input.TakenOverFrom, input.Agent, input.TakeoverCause)
			}
			return input, err
		case undecided.Lead != nil:
			step.Decisions = append(step.Decisions, t.decideLead(here, *undecided.Lead))
		default:
			step.Consents = append(step.Consents, consent(*undecided.Answer))
		}
	}
}

// overspent offers no retry for a task, because a message in the chat cannot start one.
func (t *Thinker) overspent(input *store.StepInput, budget *store.BudgetError) string {
	phrases := t.phrases(input.Language)
	text := stopped(phrases, budget)
	if input.Task == nil {
		text += " " + phrases.Localize("budget.again."+budget.Budget)
	}
	return text
}

// overBudget rejects a task if this is its first step, because it has not begun.
func (t *Thinker) overBudget(ctx context.Context, input *store.StepInput, budget *store.BudgetError) (store.StepResult, error) {
	rejected := input.Task != nil && input.Key.Turn == 1 && input.Key.Step == 1
	return t.refuse(ctx, store.CommitStep{Step: input, Text: t.overspent(input, budget), Rejected: rejected})
}

// refuse commits an outcome in errand's own words. It always offers another try, because settings,
// budgets and answers may change.
func (t *Thinker) refuse(ctx context.Context, c store.CommitStep) (store.StepResult, error) {
	out, ok, err := t.commitHeld(ctx, c.Step, c.Usage)
	if !ok {
		c.Failed, c.Options = true, []string{t.text(c.Step.Language, "model.try_again")}
		out, err = t.commitStep(ctx, c)
		err = failed(err)
	}
	if c.Step.Pending.ID != "" {
		t.responses.cancelAbandoned(ctx)
	}
	return out, err
}

// GiveUp ends a turn because its model did not answer in time. Results that the turn had to report
// are sent in the words of the sub-agents. A person who wrote reads that there is no answer.
func (t *Thinker) GiveUp(ctx context.Context, in wire.GiveUpInput) (store.StepResult, error) {
	if err := t.at(in.Store); err != nil {
		return store.StepResult{}, err
	}
	input, err := t.store.BeginStep(ctx, store.BeginStep{Key: in.Key, Session: in.Session, Rows: in.Rows, Results: in.Results, Window: heldWindow})
	if budget := (*store.BudgetError)(nil); errors.As(err, &budget) && input != nil {
		err = nil // GiveUp calls no model, so the budget does not matter
	}
	switch {
	case err != nil:
		return store.StepResult{}, failed(err)
	case input.Done != nil:
		out := *input.Done
		return out, t.follow(ctx, in.Key, false, &out)
	case input.Empty != nil:
		return *input.Empty, nil
	}
	if out, ok, err := t.commitHeld(ctx, input, nil); ok {
		t.responses.cancelAbandoned(ctx)
		return out, err
	}
	var out store.StepResult
	if input.Cause != store.CauseResults || input.Task != nil {
		if out, err = t.refuse(ctx, store.CommitStep{Step: input, Text: t.text(input.Language, "model.given_up")}); err != nil {
			return out, err
		}
	}
	rows, err := t.store.FoldFailed(ctx, in.Key.Owner, in.Key.Turn)
	if err != nil {
		return out, failed(err)
	}
	t.responses.cancelAbandoned(ctx)
	out.Failed = true
	out.Outbox = append(out.Outbox, rows...)
	t.metrics.Turns.Observe(time.Since(input.Began), string(input.Cause), "failed")
	return out, t.follow(ctx, in.Key, false, &out)
}

// readRegistered adds registered agents only if the primary agent is alone with their person.
func (t *Thinker) readRegistered(ctx context.Context, b *store.StepInput) error {
	if b.Task != nil || b.Person == "" || b.Group || b.SessionKey.Shared() || b.Agent != t.rosterAt(b.Route).Primary().Name {
		return nil
	}
	list, err := t.store.RegisteredAgents(ctx, b.Person)
	b.Registered = slices.DeleteFunc(list, func(r core.RegisteredAgent) bool {
		_, known := t.roster.Agent(r.Name)
		return known // an agent of the roster with the same name was added later
	})
	return err
}

func (t *Thinker) scales() map[core.AgentName]float64 {
	model, ok := t.model.(tokenScaler)
	if !ok {
		return nil
	}
	scales := map[core.AgentName]float64{}
	for _, name := range t.roster.Names() {
		scales[name] = model.Scale(t.prompts.modelOf(name))
	}
	return scales
}

// A tokenScaler returns how many tokens of a model correspond to one estimated token.
type tokenScaler interface{ Scale(model string) float64 }

var _ tokenScaler = (*llm.Client)(nil)
