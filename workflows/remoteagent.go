package workflows

import (
	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"errand/activities"
	"errand/internal/core"
	"errand/internal/temporal/wire"
)

// RemoteAgent has one agent of another system, a peer, work on one task: it sends the task and
// polls it until it has ended there. The store has its texts. The history stays short however long
// the work takes.
func RemoteAgent(ctx workflow.Context, in wire.RemoteAgentInput) (wire.SubAgentResult, error) {
	r := &remoteAgent{in: in}
	res, err := r.run(ctx)
	if ctx.Err() != nil || activities.IsClosed(err) {
		r.cancel(ctx)
		res.State = core.Canceled
		if ctx.Err() != nil {
			return res, temporal.NewCanceledError()
		}
		return res, nil
	}
	return res, err
}

type remoteAgent struct{ in wire.RemoteAgentInput }

func (r *remoteAgent) run(ctx workflow.Context) (wire.SubAgentResult, error) {
	workflow.SetCurrentDetails(ctx, "**"+r.in.Agent.Display()+"**, a remote agent, on task `"+string(r.in.Task)+"`")
	var out wire.PeerResult
	err := workflow.ExecuteActivity(forPeer(ctx, "send to the peer"), acts.StartPeer, r.input()).Get(ctx, &out)
	for err == nil && !out.State.Terminal() {
		out, err = r.wait(ctx)
	}
	return wire.SubAgentResult{State: out.State, Verdict: out.Verdict, Turns: 1}, err
}

// wait returns when the peer has ended or when there is an answer for it. The watchdog repeats a
// lost signal.
func (r *remoteAgent) wait(ctx workflow.Context) (out wire.PeerResult, err error) {
	watching, stop := workflow.WithCancel(ctx)
	defer stop()
	watched := workflow.ExecuteActivity(forPeer(watching, "wait for the peer"), acts.WatchPeer, r.input())
	answered, signalled := workflow.GetSignalChannel(ctx, wire.SignalAnswered), false
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

// cancel only logs an error, because the task is canceled anyway.
func (r *remoteAgent) cancel(ctx workflow.Context) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	if err := workflow.ExecuteActivity(forPeerCancel(ctx), acts.CancelPeer, r.input()).Get(ctx, nil); err != nil {
		workflow.GetLogger(ctx).Warn("the peer was not told of the cancellation", "task", r.in.Task, "agent", r.in.Agent, "error", err)
	}
}

func (r *remoteAgent) input() wire.PeerInput {
	return wire.PeerInput(r.in)
}
