package workflows

import (
	"fmt"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/store"
)

// A SubAgentInput names the work of one agent on one task.
type SubAgentInput struct {
	Store    string           `json:"store"`
	Task     errand.TaskID    `json:"task"`
	Agent    errand.AgentName `json:"agent"`
	Place    place            `json:"place"`
	Settings Settings         `json:"settings"`
}

// A SubAgentResult says how the work ended; its words are in the store.
type SubAgentResult struct {
	State  errand.TaskState `json:"state"` // completed, failed or canceled
	Turns  int              `json:"turns"`
	Tokens int              `json:"tokens"`
	Cost   float64          `json:"cost"` // USD
}

// SubAgent is one agent at work on one task: the turn loop of a session over a
// transcript of its own. It ends only when the tasks it delegated itself have
// ended and it has read their results.
func SubAgent(ctx workflow.Context, in SubAgentInput) (SubAgentResult, error) {
	s := &subAgent{in: in}
	if err := s.listen(ctx); err != nil {
		return SubAgentResult{}, err
	}
	return s.run(ctx)
}

type subAgent struct {
	in      SubAgentInput
	errands errands
	turn    *turn
	result  SubAgentResult
}

func (s *subAgent) listen(ctx workflow.Context) error {
	finished := workflow.GetSignalChannel(ctx, SignalTaskFinished)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for {
			var sig TaskFinishedSignal
			if !finished.Receive(ctx, &sig) {
				return
			}
			s.errands.done(sig.Task)
		}
	})
	return workflow.SetQueryHandler(ctx, QueryStatus, func() (Status, error) { return s.status(), nil })
}

func (s *subAgent) run(ctx workflow.Context) (SubAgentResult, error) {
	for number := 1; ; number++ {
		s.errands.finished = false
		s.turn = s.newTurn(ctx, number)
		end, err := s.turn.run(ctx)
		if err != nil {
			return s.result, err
		}
		s.result.Tokens += s.turn.tokens
		s.result.Cost += s.turn.cost
		switch end {
		case turnClosed:
			s.result.State = errand.Canceled
			if ctx.Err() != nil {
				return s.result, temporal.NewCanceledError()
			}
			return s.result, nil
		case turnFailed:
			s.result.State = errand.Failed
			return s.result, nil
		case turnReplied:
			s.result.Turns = number
			s.result.State = errand.Completed
		}
		// Join: a report is not final while work it asked for goes on, nor
		// before the results of that work were read.
		if len(s.errands.open) == 0 && !s.errands.finished {
			return s.result, nil
		}
		if err := workflow.Await(ctx, func() bool { return len(s.errands.open) == 0 }); err != nil {
			s.result.State = errand.Canceled
			return s.result, err
		}
	}
}

func (s *subAgent) newTurn(ctx workflow.Context, number int) *turn {
	t := &turn{
		store: s.in.Store, owner: errand.SubAgentOwner(s.in.Task, s.in.Agent), number: number,
		settings: s.in.Settings, place: s.in.Place, priority: ForErrands, patience: subAgentPatience,
		rows: func(int) store.Claim { return store.ClaimNone }, results: true,
		root: ctx, errands: &s.errands,
		resume: func() bool { return false },
		with:   func(errand.AgentName) {},
	}
	t.told = func() { s.describe(ctx, t) }
	return t
}

func (s *subAgent) status() Status {
	st := Status{Agent: s.in.Agent, Session: s.in.Place.Session, Open: s.errands.open, Tokens: s.result.Tokens, Cost: s.result.Cost}
	if s.turn != nil {
		st.Turn, st.Step = s.turn.number, s.turn.step
		st.Tokens += s.turn.tokens
		st.Cost += s.turn.cost
	}
	return st
}

// describe writes what the Temporal Web UI shows under current details.
func (s *subAgent) describe(ctx workflow.Context, t *turn) {
	st := s.status()
	workflow.SetCurrentDetails(ctx, fmt.Sprintf("**%s** on task `%s`\n\nstep %d, %s\n\n%s",
		st.Agent.Display(), s.in.Task, t.step, openTasks(st.Open), spent(st.Tokens, st.Cost)))
}
