package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand/internal/core"
	"errand/internal/prompt"
	"errand/internal/store"
	"errand/internal/temporal/wire"
)

// A Peer is the client of another system that runs a remote agent. An error means that the peer
// could not be reached or not understood, and the call is retried. Results are limited in size;
// nothing else about them is trusted.
type Peer interface {
	// Start sends a task to the peer. After a crash it may be called again with the same message; a
	// peer that recognises the message does not begin twice.
	Start(ctx context.Context, order core.PeerOrder) (core.PeerTask, error)
	// Poll returns the state of a task.
	Poll(ctx context.Context, id string) (core.PeerTask, error)
	// Answer sends text to a task that waits for it. It may be called again with the same
	// message.
	Answer(ctx context.Context, task core.PeerTask, message, text string) (core.PeerTask, error)
	// Cancel ends a task. It is not an error if the task has already ended.
	Cancel(ctx context.Context, id string) error
}

// A Follower is a peer that may report changes by itself.
type Follower interface {
	// Follow waits for less than a minute and reports whether a task may have changed. It returns
	// ErrPeerNotFollowed if it cannot wait for changes of this task.
	Follow(ctx context.Context, id string) (news bool, err error)
}

// A peer is polled at the interval of core.PeerPause, or sooner while its stream is followed.
const (
	startPatience  = time.Hour
	peerPatience   = 7 * 24 * time.Hour
	longestSending = 6 // attempts to cancel; after them no message of the task can still be on its way
)

// RemoteAgents run the work of remote agents, registered agents and coding agents.
type RemoteAgents struct {
	*worker
	approver *approver
	tasks    *Tasks
	sessions Sessions
	peers    map[core.AgentName]Peer
	coding   CodingAgents
	pace     store.QuestionPace
}

// StartPeer sends a task to the peer of a remote agent. The message has the same id in each
// attempt, so that a peer that recognises it does not begin twice.
func (r *RemoteAgents) StartPeer(ctx context.Context, in wire.PeerInput) (wire.PeerResult, error) {
	if err := r.at(in.Store); err != nil {
		return wire.PeerResult{}, err
	}
	work, err := r.store.BeginPeerWork(ctx, in.Task, in.Agent)
	if err != nil {
		return wire.PeerResult{}, failed(err)
	}
	if work.PeerTask != "" || work.IsOver() {
		return r.peerResult(ctx, work)
	}
	peer, err := r.peer(ctx, work)
	if err != nil {
		return r.loseOrTryAgain(ctx, work, startPatience, err)
	}
	message := uuid.NewSHA1(uuid.NameSpaceOID, []byte(in.Store+"/"+string(core.SubAgentOwner(in.Task, in.Agent)))).String()
	// If the task is canceled during the call, the peer's answer has the id to cancel.
	ctx = context.WithoutCancel(ctx)
	status, err := peer.Start(ctx, core.PeerOrder{Message: message, Text: work.Text})
	if errors.Is(err, core.ErrPeerMayHaveBegun) {
		// A peer that does not recognise its messages begins once with each. So errand sends the
		// message once more, and not a third time. Without the peer's id, the state of the row
		// records that it was sent.
		status := core.PeerTask{State: core.Working}
		if work.State == core.Working {
			lost := fmt.Errorf("%s was sent the task twice, and it is unknown whether it has begun. Last known: %s", in.Agent.Display(), core.Cut(err.Error(), 300))
			status = core.PeerTask{State: core.Failed, Text: lost.Error()}
		}
		if out, err := r.keepPeerTask(ctx, in, status); err != nil || out.State.Terminal() {
			return out, err
		}
	}
	if err != nil {
		return r.loseOrTryAgain(ctx, work, startPatience, err)
	}
	r.logger.Info("task sent to a peer", "task", in.Task, "agent", in.Agent, "state", status.State)
	return r.keepPeerTask(ctx, in, status)
}

// WatchPeer polls a task at its peer. While the peer is working, the activity fails and is retried,
// so that it is one activity in the history however long the work takes. If the peer has a stream,
// each attempt follows it for a while, and the pause after the attempt is short.
func (r *RemoteAgents) WatchPeer(ctx context.Context, in wire.PeerInput) (wire.PeerResult, error) {
	if err := r.at(in.Store); err != nil {
		return wire.PeerResult{}, err
	}
	work, err := r.store.PeerWork(ctx, in.Task, in.Agent)
	if err != nil {
		return wire.PeerResult{}, failed(err)
	}
	if work.IsOver() {
		return r.peerResult(ctx, work)
	}
	peer, err := r.peer(ctx, work)
	if err != nil {
		return r.loseOrTryAgain(ctx, work, peerPatience, err)
	}
	out, err := r.pollPeer(ctx, peer, in, &work)
	if err != nil || out.State.Terminal() {
		return out, err
	}
	why := errPeerAtWork
	if follower, ok := peer.(Follower); ok && work.State == core.Working {
		following, end := whileWorking(ctx)
		news, err := follower.Follow(following, work.PeerTask)
		stopping := following.Err() != nil
		end()
		switch {
		case errors.Is(err, core.ErrPeerNotFollowed):
		case stopping || err == nil && !news:
			why = errPeerFollowed
		default: // something changed, or the stream broke before it could report
			if out, err := r.pollPeer(ctx, peer, in, &work); err != nil || out.State.Terminal() {
				return out, err
			}
		}
	}
	return r.loseOrTryAgain(ctx, work, peerPatience, why)
}

func (r *RemoteAgents) pollPeer(ctx context.Context, peer Peer, in wire.PeerInput, work *store.PeerWork) (wire.PeerResult, error) {
	status, err := peer.Poll(ctx, work.PeerTask)
	if err != nil {
		return r.loseOrTryAgain(ctx, *work, peerPatience, err)
	}
	out, err := r.keepPeerTask(ctx, in, status)
	if err == nil {
		if work.State == core.InputRequired && out.State == core.Working {
			r.tasks.showTaskState(ctx, in.Task)
		}
		work.State = out.State
	}
	return out, err
}

// CancelPeer cancels a task at its peer. It does not wait for the result.
func (r *RemoteAgents) CancelPeer(ctx context.Context, in wire.PeerInput) error {
	if err := r.at(in.Store); err != nil {
		return err
	}
	work, err := r.store.PeerWork(ctx, in.Task, in.Agent)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil // nothing was sent
	case err != nil:
		return failed(err)
	case work.IsOver():
		return nil
	case work.PeerTask == "" && activity.GetInfo(ctx).Attempt < longestSending:
		// The message may be on its way. The peer's answer to it has the id to cancel.
		return temporal.NewApplicationError(errPeerNotTold.Error(), "peer")
	case work.PeerTask == "":
		return nil
	}
	peer, err := r.peer(ctx, work)
	if err == nil {
		err = peer.Cancel(ctx, work.PeerTask)
	}
	if err != nil {
		r.logger.Warn("peer not told that its task is canceled", "task", in.Task, "agent", in.Agent, "error", err)
		return temporal.NewApplicationError(errPeerNotTold.Error(), "peer")
	}
	return nil
}

// peer returns the store as the peer of an agent that a person has registered.
func (r *RemoteAgents) peer(ctx context.Context, work store.PeerWork) (Peer, error) {
	if work.OfferedTo != "" {
		return registeredPeer{r.worker, work}, nil
	}
	if peer := r.peers[work.Agent]; peer != nil {
		return peer, nil
	}
	if work.PeerTask == "" {
		task, err := r.store.Task(ctx, work.Task)
		if err != nil {
			return nil, err
		}
		if known, err := r.store.IsRegistered(ctx, task.Origin.Person, work.Agent); err != nil || known {
			return registeredPeer{r.worker, work}, err
		}
	}
	return nil, fmt.Errorf("there is no remote agent %s in errand.yaml any more", work.Agent.Display())
}

func (r *RemoteAgents) keepPeerTask(ctx context.Context, in wire.PeerInput, status core.PeerTask) (wire.PeerResult, error) {
	if status.State == core.InputRequired || status.Login {
		work, asked, err := r.askForPeer(ctx, in, status)
		if asked || err != nil {
			return wire.PeerResult{State: work.State}, err
		}
		return r.losePeer(ctx, in, status, prompt.AsksNobody(status))
	}
	work, err := r.store.KeepPeerTask(ctx, in.Task, in.Agent, status)
	if err != nil {
		return wire.PeerResult{}, failed(err)
	}
	return r.peerResult(ctx, work)
}

func (r *RemoteAgents) losePeer(ctx context.Context, in wire.PeerInput, status core.PeerTask, why string) (wire.PeerResult, error) {
	work, err := r.store.GiveUpPeer(ctx, in.Task, in.Agent, status, why)
	if err != nil {
		return wire.PeerResult{}, failed(err)
	}
	return r.peerResult(ctx, work)
}

func (r *RemoteAgents) peerResult(ctx context.Context, work store.PeerWork) (wire.PeerResult, error) {
	if work.GivenUp > 0 {
		return wire.PeerResult{State: core.Failed}, nil
	}
	out := wire.PeerResult{State: work.State}
	if work.State == core.Completed {
		task, err := r.store.Task(ctx, work.Task)
		if err != nil {
			return out, failed(err)
		}
		if task.Policy.CountsVerdicts() {
			out.Verdict = core.Invalid
		}
	}
	return out, nil
}

var (
	errPeerAtWork   = errors.New("it has not finished")
	errPeerFollowed = errors.New("it has not finished, as its stream says") // it was followed until now: no pause needed
	errNoResult     = errors.New("the peer has no result yet")
	errPeerNotTold  = errors.New("the peer was not told that its task is canceled")
)

// loseOrTryAgain gives up a peer after patience, and else returns a retryable error. Its errors
// contain none of the peer's words.
func (r *RemoteAgents) loseOrTryAgain(ctx context.Context, work store.PeerWork, patience time.Duration, why error) (wire.PeerResult, error) {
	if errors.Is(why, context.Canceled) {
		return wire.PeerResult{}, why
	}
	since := r.store.Now().Sub(time.UnixMicro(max(work.Begun, work.Answered)))
	pause := core.PeerPause(since)
	switch {
	case errors.Is(why, core.ErrPeerMayHaveBegun):
		pause = time.Minute // before the last attempt
	case errors.Is(why, errPeerFollowed):
		pause = time.Second
	}
	// While a peer waits for a person, the expiry of its question limits the time.
	if work.State != core.InputRequired && since >= patience {
		r.logger.Warn("gave up on a peer", "task", work.Task, "agent", work.Agent, "error", why)
		lost := fmt.Errorf("%s has not answered in %s. Last known: %s", work.Agent.Display(), core.Age(patience), core.Cut(why.Error(), 300))
		return r.losePeer(ctx, wire.PeerInput{Task: work.Task, Agent: work.Agent}, core.PeerTask{ID: work.PeerTask, State: work.State}, lost.Error())
	}
	name := "peer"
	if errors.Is(why, errPeerAtWork) || errors.Is(why, errPeerFollowed) {
		name = "at-work"
	} else {
		r.logger.Info("peer does not answer; errand will ask again", "task", work.Task, "agent", work.Agent, "attempt", activity.GetInfo(ctx).Attempt, "error", why)
	}
	return wire.PeerResult{}, temporal.NewApplicationErrorWithOptions(errNoResult.Error(), name, temporal.ApplicationErrorOptions{
		NextRetryDelay: pause})
}
