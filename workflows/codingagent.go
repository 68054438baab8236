package workflows

import (
	"errors"
	"slices"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/activities"
)

// CodingAgent is one coding agent, a program, at work on one task: it is an activity on the
// worker that has its folder. While the program waits for a yes that takes long it does not
// run, and begins again where it was once somebody has decided. What it says is in the store.
func CodingAgent(ctx workflow.Context, in CodingAgentInput) (SubAgentResult, error) {
	c := &codingAgent{in: in, answered: workflow.GetSignalChannel(ctx, SignalAnswered)}
	res, err := c.run(ctx)
	switch {
	case ctx.Err() != nil:
		return SubAgentResult{State: errand.Canceled}, temporal.NewCanceledError()
	case activities.IsClosed(err):
		return SubAgentResult{State: errand.Canceled}, nil
	}
	return res, err
}

type codingAgent struct {
	in       CodingAgentInput
	answered workflow.ReceiveChannel
}

func (c *codingAgent) run(ctx workflow.Context) (SubAgentResult, error) {
	workflow.SetCurrentDetails(ctx, "**"+c.in.Agent.Display()+"**, a coding agent, on task `"+string(c.in.Task)+"`")
	in := activities.PeerInput(c.in)
	for {
		var out activities.CodingResult
		err := workflow.ExecuteActivity(forCoding(ctx, c.in.Agent), acts.RunCodingAgent, in).Get(ctx, &out)
		if isUnstarted(err) {
			err = workflow.ExecuteActivity(forStore(ctx, "give up the folder"), acts.LoseCodingAgent, in).Get(ctx, &out)
		}
		if err != nil || out.State != errand.InputRequired {
			return SubAgentResult{State: out.State, Verdict: out.Verdict, Turns: 1}, err
		}
		if len(out.Questions) == 0 {
			continue // somebody has decided while it was stopped
		}
		if err := c.await(ctx, out.Questions); err != nil {
			return SubAgentResult{}, err
		}
	}
}

// isUnstarted reports whether no worker has taken an activity.
func isUnstarted(err error) bool {
	var timeout *temporal.TimeoutError
	return errors.As(err, &timeout) && timeout.TimeoutType() == enumspb.TIMEOUT_TYPE_SCHEDULE_TO_START
}

// await waits until one of some approvals is over: a signal says so, or the store, which is
// asked now and then.
func (c *codingAgent) await(ctx workflow.Context, questions []errand.QuestionID) error {
	ctx, cancel := workflow.WithCancel(ctx)
	defer cancel()
	asked := workflow.ExecuteActivity(forPeer(ctx, "wait for an answer"), acts.AwaitAnswer, activities.AwaitAnswerInput{Store: c.in.Store, Questions: questions})
	var err error
	over := false
	wait := workflow.NewSelector(ctx)
	wait.AddFuture(asked, func(f workflow.Future) { over, err = true, f.Get(ctx, nil) })
	wait.AddReceive(c.answered, func(ch workflow.ReceiveChannel, _ bool) {
		var sig AnsweredSignal
		ch.Receive(ctx, &sig)
		over = slices.Contains(questions, sig.Question)
	})
	for !over {
		wait.Select(ctx)
	}
	return err
}
