package workflows

import (
	"errors"
	"slices"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// CodingAgent has one coding agent work on one task. Its work is an activity on the worker that has
// the agent's folder. If an approval takes long, the program is stopped, and continues its session
// after the decision. The store has its texts.
func CodingAgent(ctx workflow.Context, in wire.CodingAgentInput) (wire.SubAgentResult, error) {
	c := &codingAgent{in: in, answered: workflow.GetSignalChannel(ctx, wire.SignalAnswered)}
	res, err := c.run(ctx)
	switch {
	case ctx.Err() != nil:
		return wire.SubAgentResult{State: core.Canceled}, temporal.NewCanceledError()
	case activities.IsClosed(err):
		return wire.SubAgentResult{State: core.Canceled}, nil
	}
	return res, err
}

type codingAgent struct {
	in       wire.CodingAgentInput
	answered workflow.ReceiveChannel
}

func (c *codingAgent) run(ctx workflow.Context) (wire.SubAgentResult, error) {
	workflow.SetCurrentDetails(ctx, "**"+c.in.Agent.Display()+"**, a coding agent, on task `"+string(c.in.Task)+"`")
	in := wire.PeerInput(c.in)
	for {
		var out wire.CodingResult
		err := workflow.ExecuteActivity(forCoding(ctx, c.in.Agent), acts.RunCodingAgent, in).Get(ctx, &out)
		if isUnstarted(err) {
			err = workflow.ExecuteActivity(forStore(ctx, "give up the folder"), acts.LoseCodingAgent, in).Get(ctx, &out)
		}
		if err != nil || out.State != core.InputRequired {
			return wire.SubAgentResult{State: out.State, Verdict: out.Verdict, Turns: 1}, err
		}
		if len(out.Questions) == 0 {
			continue // a person decided while the program was being stopped
		}
		if err := c.await(ctx, out.Questions); err != nil {
			return wire.SubAgentResult{}, err
		}
	}
}

func isUnstarted(err error) bool {
	var timeout *temporal.TimeoutError
	return errors.As(err, &timeout) && timeout.TimeoutType() == enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START
}

func (c *codingAgent) await(ctx workflow.Context, questions []core.QuestionID) error {
	ctx, cancel := workflow.WithCancel(ctx)
	defer cancel()
	asked := workflow.ExecuteActivity(forPeer(ctx, "wait for an answer"), acts.AwaitAnswer, wire.AwaitAnswerInput{Store: c.in.Store, Questions: questions})
	var err error
	over := false
	wait := workflow.NewSelector(ctx)
	wait.AddFuture(asked, func(f workflow.Future) { over, err = true, f.Get(ctx, nil) })
	wait.AddReceive(c.answered, func(ch workflow.ReceiveChannel, _ bool) {
		var sig wire.AnsweredSignal
		ch.Receive(ctx, &sig)
		over = slices.Contains(questions, sig.Question)
	})
	for !over {
		wait.Select(ctx)
	}
	return err
}
