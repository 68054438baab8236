package workflows

import (
	"cmp"
	"fmt"
	"slices"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// SubAgent has one agent work on one task: a session's loop of turns with its own transcript. It
// ends after the tasks that it has delegated have ended and it has read their results.
func SubAgent(ctx workflow.Context, in wire.SubAgentInput) (wire.SubAgentResult, error) {
	s := &subAgent{in: in}
	if err := s.listen(ctx); err != nil {
		return wire.SubAgentResult{}, err
	}
	return s.run(ctx)
}

type subAgent struct {
	in     wire.SubAgentInput
	waits  waits
	added  additions
	turn   *turn
	number int // the number of the turn
	asking bool
	result wire.SubAgentResult
}

func (s *subAgent) listen(ctx workflow.Context) error {
	signals := workflow.NewSelector(ctx)
	signals.AddReceive(workflow.GetSignalChannel(ctx, wire.SignalTaskFinished), func(ch workflow.ReceiveChannel, _ bool) {
		var sig wire.TaskFinishedSignal
		if ch.ReceiveAsync(&sig) {
			s.waits.follows(sig.FollowedBy)
			s.waits.done(waitID(sig.Task))
		}
	})
	signals.AddReceive(workflow.GetSignalChannel(ctx, wire.SignalSteer), func(ch workflow.ReceiveChannel, _ bool) {
		var sig wire.SteerSignal
		if ch.ReceiveAsync(&sig) {
			s.added.came(sig.Row)
		}
	})
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			signals.Select(ctx)
		}
	})
	s.listenForAnswers(ctx)
	return workflow.SetQueryHandler(ctx, wire.QueryStatus, func() (wire.Status, error) { return s.status(), nil })
}

func (s *subAgent) run(ctx workflow.Context) (wire.SubAgentResult, error) {
	if before := s.in.Before; before != nil {
		s.result, s.number, s.waits.look = before.Result, before.Turn, before.UnreadResults
		for _, id := range before.Open {
			s.waits.add(waitID(id))
		}
		// Signals at the end of the previous run may not have been read.
		if err := s.refreshOpenTasks(ctx); err != nil {
			return s.result, err
		}
		if over, err := s.join(ctx); over || err != nil {
			return s.result, err
		}
	}
	for {
		if over, err := s.takeTurn(ctx); over || err != nil {
			return s.result, err
		}
		if over, err := s.join(ctx); over || err != nil {
			return s.result, err
		}
	}
}

func (s *subAgent) takeTurn(ctx workflow.Context) (over bool, err error) {
	s.number++
	s.waits.beginTurn()
	s.turn = s.newTurn(ctx, s.number)
	end, err := s.turn.run(ctx)
	if err != nil {
		return false, err
	}
	s.result.Tokens += s.turn.tokens
	s.result.Cost += s.turn.cost
	s.result.Ended = s.turn.ended
	s.result.Verdict = cmp.Or(s.turn.verdict, s.result.Verdict)
	switch end {
	case turnClosed:
		s.result.State = core.Canceled
		if ctx.Err() != nil {
			return true, temporal.NewCanceledError()
		}
		return true, nil
	case turnFailed:
		s.result.State = core.Failed
		return true, nil
	case turnReplied:
		s.result.Turns = s.number
		s.result.State = core.Completed
		s.dropQuestions()
	}
	if s.result.Ended != "" {
		return true, nil // the task has ended in the store, so there is nothing to join
	}
	if s.turn.claims >= store.MaxClaimed {
		// The turn took the maximum of results, and may have left some.
		s.waits.look = true
	}
	return false, nil
}

// join waits for delegated tasks and reports whether their results were read. A report is not final
// before that.
func (s *subAgent) join(ctx workflow.Context) (over bool, err error) {
	joined := func() bool { return len(s.waits.open) == 0 }
	if joined() && !s.waits.results() && !s.added.any() {
		return true, nil
	}
	if !joined() {
		s.ask(ctx)
	}
	full := func() bool { return workflow.GetInfo(ctx).GetContinueAsNewSuggested() }
	if err := workflow.Await(ctx, func() bool { return joined() || full() || s.added.any() }); err != nil {
		s.result.State = core.Canceled
		return true, err
	}
	if full() {
		return true, s.renew(ctx)
	}
	return false, nil
}

func (s *subAgent) renew(ctx workflow.Context) error {
	in := s.in
	in.Before = &wire.SubAgentBefore{Result: s.result, Turn: s.number, Open: tasks(s.waits.open), UnreadResults: s.waits.results() || s.added.any()}
	return workflow.NewContinueAsNewError(ctx, SubAgent, in)
}

// ask polls the store, because a lost signal must not block the sub-agent.
func (s *subAgent) ask(ctx workflow.Context) {
	if s.asking {
		return
	}
	s.asking = true
	workflow.Go(ctx, func(ctx workflow.Context) {
		for pause := firstAsked; ; pause = min(2*pause, lastAsked) {
			if err := workflow.Sleep(ctx, pause); err != nil {
				return
			}
			if err := s.refreshOpenTasks(ctx); err != nil {
				return
			}
		}
	})
}

func (s *subAgent) refreshOpenTasks(ctx workflow.Context) error {
	if len(s.waits.open) == 0 {
		return nil
	}
	in := wire.OpenTasksInput{Store: s.in.Store, Tasks: tasks(s.waits.open), Questions: questions(s.waits.open),
		Owner: core.SubAgentOwner(s.in.Task, s.in.Agent)}
	var out wire.OpenTasksResult
	if err := workflow.ExecuteActivity(forStore(ctx, "open tasks"), acts.OpenTasks, in).Get(ctx, &out); err != nil {
		return err
	}
	for _, id := range out.FollowedBy {
		s.waits.follows(id)
	}
	for _, id := range in.Tasks {
		if s.waits.isOpen(waitID(id)) && !slices.Contains(out.Open, id) {
			s.waits.done(waitID(id))
		}
	}
	for _, row := range out.Added {
		s.added.came(row)
	}
	s.refreshQuestions(in.Questions, out)
	return nil
}

func (s *subAgent) newTurn(ctx workflow.Context, number int) *turn {
	t := &turn{
		store: s.in.Store, owner: core.SubAgentOwner(s.in.Task, s.in.Agent), number: number,
		settings: s.in.Settings, priority: wire.PriorityTasks, waited: s.in.Waited, patience: s.in.Settings.ModelTimeout,
		rows: func(int) store.Claim { s.added.begin(); s.waits.approved = false; return store.ClaimNone }, results: true,
		root: ctx, waits: &s.waits, asks: func() { s.ask(ctx) },
		resume: func() bool { return s.added.any() || s.waits.approved },
		with:   func(core.AgentName) {},
		took:   s.added.took,
	}
	t.onChange = func() { s.describe(ctx, t) }
	return t
}

func (s *subAgent) status() wire.Status {
	st := wire.Status{Agent: s.in.Agent, Session: s.in.Place.Session, Open: tasks(s.waits.open), Tokens: s.result.Tokens, Cost: s.result.Cost}
	if s.turn != nil {
		st.Turn, st.Step = s.turn.number, s.turn.step
		st.Tokens += s.turn.tokens
		st.Cost += s.turn.cost
	}
	return st
}

func (s *subAgent) describe(ctx workflow.Context, t *turn) {
	st := s.status()
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**%s** on task `%s`\n\nstep %d, %s\n\n%s%s",
		st.Agent.Display(), s.in.Task, t.step, s.waits.line(), s.added.line(), spent(st.Tokens, st.Cost)))
}
