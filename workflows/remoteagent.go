package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand"
	"errand/activities"
)

// RemoteAgent is one agent of another system, a peer, at work on one task: it is sent the
// task, and looked after until it has ended there. What it says is in the store. However
// long it takes, the history has a handful of events.
func RemoteAgent(ctx workflow.Context, in RemoteAgentInput) (SubAgentResult, error) {
	r := &remoteAgent{in: in}
	res, err := r.run(ctx)
	if ctx.Err() != nil || activities.IsClosed(err) {
		r.cancel(ctx)
		res.State = errand.Canceled
		if ctx.Err() != nil {
			return res, temporal.NewCanceledError()
		}
		return res, nil
	}
	return res, err
}

type remoteAgent struct{ in RemoteAgentInput }

func (r *remoteAgent) run(ctx workflow.Context) (SubAgentResult, error) {
	workflow.SetCurrentDetails(ctx, "**"+r.in.Agent.Display()+"**, a remote agent, on task `"+string(r.in.Task)+"`")
	var out activities.PeerResult
	err := workflow.ExecuteActivity(forPeer(ctx, "send to the peer"), acts.StartPeer, r.input()).Get(ctx, &out)
	for err == nil && !out.State.Terminal() {
		out, err = r.wait(ctx)
	}
	return SubAgentResult{State: out.State, Verdict: out.Verdict, Turns: 1}, err
}

// wait looks after the peer until it has ended, or there is an answer to what it has asked,
// which it is sent. The watchdog repeats a signal that was lost.
func (r *remoteAgent) wait(ctx workflow.Context) (out activities.PeerResult, err error) {
	watching, stop := workflow.WithCancel(ctx)
	defer stop()
	watched := workflow.ExecuteActivity(forPeer(watching, "wait for the peer"), acts.WatchPeer, r.input())
	answered, signalled := workflow.GetSignalChannel(ctx, SignalAnswered), false
	s := workflow.NewSelector(ctx)
	s.AddFuture(watched, func(f workflow.Future) { err = f.Get(ctx, &out) })
	s.AddReceive(answered, func(ch workflow.ReceiveChannel, _ bool) { signalled = ch.ReceiveAsync(nil) })
	s.Select(ctx)
	if !signalled || err != nil {
		return out, err
	}
	stop()
	err = workflow.ExecuteActivity(forPeer(ctx, "answer the peer"), acts.AnswerPeer, r.input()).Get(ctx, &out)
	return out, err
}

// cancel tells the peer that nobody wants the task any more. If it cannot be told, the task
// is canceled all the same.
func (r *remoteAgent) cancel(ctx workflow.Context) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	if err := workflow.ExecuteActivity(forPeerCancel(ctx), acts.CancelPeer, r.input()).Get(ctx, nil); err != nil {
		workflow.GetLogger(ctx).Warn("the peer was not told of the cancellation", "task", r.in.Task, "agent", r.in.Agent, "error", err)
	}
}

func (r *remoteAgent) input() activities.PeerInput {
	return activities.PeerInput(r.in)
}
