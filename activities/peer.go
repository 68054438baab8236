package activities

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"errand"
	"errand/internal/store"
)

// A Peer is another system whose agent is one of ours. An error says that it was not
// reached, or not understood: it is asked again. What it returns is bounded in size, and
// nothing else about it is believed.
type Peer interface {
	// Start has the agent begin with a task. It may be called again with the same message,
	// after a crash: a peer that knows the message does not begin twice.
	Start(ctx context.Context, order errand.PeerOrder) (errand.PeerTask, error)
	// Poll returns how a task stands.
	Poll(ctx context.Context, id string) (errand.PeerTask, error)
	// Answer sends text to a task that waits for it. It may be called again with the same
	// message.
	Answer(ctx context.Context, task errand.PeerTask, message, text string) (errand.PeerTask, error)
	// Cancel has a task end. One that has ended is no error.
	Cancel(ctx context.Context, id string) error
}

// A Follower is a peer that may say by itself when it has something new.
type Follower interface {
	// Follow waits, for less than a minute, until there may be something new of a task, and
	// reports whether there may. It fails with ErrPeerNotFollowed where that is not waited for.
	Follow(ctx context.Context, id string) (news bool, err error)
}

// A PeerInput names the work of a remote agent on a task.
type PeerInput struct {
	Store string           `json:"store"`
	Task  errand.TaskID    `json:"task"`
	Agent errand.AgentName `json:"agent"`
}

// A PeerResult says how the work stands; its words are in the store.
type PeerResult struct {
	State   errand.TaskState `json:"state"`
	Verdict errand.Verdict   `json:"verdict,omitempty"`
}

// errand polls a peer after errand.PeerPause, or sooner while it follows the stream of the peer.
// It gives up after peerPatience. A person's answer interrupts the pause.
const (
	startPatience  = time.Hour
	peerPatience   = 7 * 24 * time.Hour
	longestSending = 6 // attempts to cancel, after which nothing is on its way any more
)

// StartPeer sends a task to the peer of a remote agent. The message has the same id in
// each attempt, so that a peer which knows it does not begin twice.
func (a *Activities) StartPeer(ctx context.Context, in PeerInput) (PeerResult, error) {
	if err := a.at(in.Store); err != nil {
		return PeerResult{}, err
	}
	defer beat(ctx)()
	work, err := a.Store.BeginPeerWork(ctx, in.Task, in.Agent)
	if err != nil {
		return PeerResult{}, failed(err)
	}
	if work.PeerTask != "" || work.IsOver() {
		return a.peerResult(ctx, work)
	}
	peer, err := a.peer(ctx, work)
	if err != nil {
		return a.loseOrTryAgain(ctx, work, startPatience, err)
	}
	message := uuid.NewSHA1(uuid.NameSpaceOID, []byte(in.Store+"/"+string(errand.SubAgentOwner(in.Task, in.Agent)))).String()
	// Where the task is canceled while it is sent, the peer's answer says what is to end there.
	ctx = context.WithoutCancel(ctx)
	status, err := peer.Start(ctx, errand.PeerOrder{Message: message, Text: work.Text})
	if errors.Is(err, errand.ErrPeerMayHaveBegun) {
		// A peer that does not know its messages begins with each: once more, and no further.
		// That it was sent is the row's state, before there is an id.
		status := errand.PeerTask{State: errand.Working}
		if work.State == errand.Working {
			lost := fmt.Errorf("%s was sent the task twice, and it is not known whether it has begun. The last that was known: %s", in.Agent.Display(), errand.Cut(err.Error(), 300))
			status = errand.PeerTask{State: errand.Failed, Text: lost.Error()}
		}
		if out, err := a.keepPeerTask(ctx, in, status); err != nil || out.State.Terminal() {
			return out, err
		}
	}
	if err != nil {
		return a.loseOrTryAgain(ctx, work, startPatience, err)
	}
	a.Logger.Info("task sent to a peer", "task", in.Task, "agent", in.Agent, "state", status.State)
	return a.keepPeerTask(ctx, in, status)
}

// WatchPeer looks how a task stands at its peer. While it goes on there the activity fails
// and is tried again: however long that takes, it is one activity in the history. A peer that
// has streams is followed, in each attempt for a while, and the pause after that is short.
func (a *Activities) WatchPeer(ctx context.Context, in PeerInput) (PeerResult, error) {
	if err := a.at(in.Store); err != nil {
		return PeerResult{}, err
	}
	defer beat(ctx)()
	work, err := a.Store.PeerWork(ctx, in.Task, in.Agent)
	if err != nil {
		return PeerResult{}, failed(err)
	}
	if work.IsOver() {
		return a.peerResult(ctx, work)
	}
	peer, err := a.peer(ctx, work)
	if err != nil {
		return a.loseOrTryAgain(ctx, work, peerPatience, err)
	}
	out, err := a.pollPeer(ctx, peer, in, &work)
	if err != nil || out.State.Terminal() {
		return out, err
	}
	why := errPeerAtWork
	if follower, ok := peer.(Follower); ok && work.State == errand.Working {
		following, end := whileWorking(ctx)
		news, err := follower.Follow(following, work.PeerTask)
		stopping := following.Err() != nil
		end()
		switch {
		case errors.Is(err, errand.ErrPeerNotFollowed):
		case stopping || err == nil && !news:
			why = errPeerFollowed
		default: // something is new, or the stream has broken before it could say so
			if out, err := a.pollPeer(ctx, peer, in, &work); err != nil || out.State.Terminal() {
				return out, err
			}
		}
	}
	return a.loseOrTryAgain(ctx, work, peerPatience, why)
}

// pollPeer looks once how a task stands at its peer, and keeps that.
func (a *Activities) pollPeer(ctx context.Context, peer Peer, in PeerInput, work *store.PeerWork) (PeerResult, error) {
	status, err := peer.Poll(ctx, work.PeerTask)
	var gone *goneError
	switch {
	case errors.As(err, &gone):
		return a.losePeer(ctx, in, errand.PeerTask{ID: work.PeerTask, State: work.State}, gone.why)
	case err != nil:
		return a.loseOrTryAgain(ctx, *work, peerPatience, err)
	}
	out, err := a.keepPeerTask(ctx, in, status)
	if err == nil {
		if work.State == errand.InputRequired && out.State == errand.Working {
			a.showTaskState(ctx, in.Task)
		}
		work.State = out.State
	}
	return out, err
}

// CancelPeer has a task end at its peer. Nobody waits for what comes of it.
func (a *Activities) CancelPeer(ctx context.Context, in PeerInput) error {
	if err := a.at(in.Store); err != nil {
		return err
	}
	defer beat(ctx)()
	work, err := a.Store.PeerWork(ctx, in.Task, in.Agent)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil // nothing was sent
	case err != nil:
		return failed(err)
	case work.IsOver():
		return nil
	case work.PeerTask == "" && activity.GetInfo(ctx).Attempt < longestSending:
		// It may be on its way: the peer then says by what id it knows it.
		return temporal.NewApplicationError(errPeerNotTold.Error(), "peer")
	case work.PeerTask == "":
		return nil
	}
	peer, err := a.peer(ctx, work)
	if err == nil {
		err = peer.Cancel(ctx, work.PeerTask)
	}
	if err != nil {
		a.Logger.Warn("a peer was not told that its task is canceled", "task", in.Task, "agent", in.Agent, "error", err)
		return temporal.NewApplicationError(errPeerNotTold.Error(), "peer")
	}
	return nil
}

// peer is where a remote agent works. One that a person has registered works where it likes:
// the store stands for it.
func (a *Activities) peer(ctx context.Context, work store.PeerWork) (Peer, error) {
	if work.OfferedTo != "" {
		return registeredPeer{a, work}, nil
	}
	if peer := a.Peers[work.Agent]; peer != nil {
		return peer, nil
	}
	if work.PeerTask == "" {
		task, err := a.Store.Task(ctx, work.Task)
		if err != nil {
			return nil, err
		}
		if _, err := a.Store.RegisteredAgent(ctx, task.Origin.Person, work.Agent); err == nil {
			return registeredPeer{a, work}, nil
		} else if !errors.Is(err, store.ErrNotFound) {
			return nil, err
		}
	}
	return nil, fmt.Errorf("there is no remote agent %s in errand.yaml any more", work.Agent.Display())
}

func (a *Activities) keepPeerTask(ctx context.Context, in PeerInput, status errand.PeerTask) (PeerResult, error) {
	if status.State == errand.InputRequired || status.Login {
		work, asked, err := a.askForPeer(ctx, in, status)
		if asked || err != nil {
			return PeerResult{State: work.State}, err
		}
		return a.losePeer(ctx, in, status, asksNobody(status))
	}
	work, err := a.Store.KeepPeerTask(ctx, in.Task, in.Agent, status)
	if err != nil {
		return PeerResult{}, failed(err)
	}
	return a.peerResult(ctx, work)
}

// losePeer waits for a peer no more, for a reason, as told is the last that is known of it.
func (a *Activities) losePeer(ctx context.Context, in PeerInput, status errand.PeerTask, why string) (PeerResult, error) {
	work, err := a.Store.GiveUpPeer(ctx, in.Task, in.Agent, status, why)
	if err != nil {
		return PeerResult{}, failed(err)
	}
	return a.peerResult(ctx, work)
}

func (a *Activities) peerResult(ctx context.Context, work store.PeerWork) (PeerResult, error) {
	if work.GivenUp > 0 {
		return PeerResult{State: errand.Failed}, nil
	}
	out := PeerResult{State: work.State}
	if work.State == errand.Completed {
		task, err := a.Store.Task(ctx, work.Task)
		if err != nil {
			return out, failed(err)
		}
		if task.Policy.CountsVerdicts() {
			out.Verdict = errand.Invalid
		}
	}
	return out, nil
}

var (
	errPeerAtWork   = errors.New("it is still at work")
	errPeerFollowed = errors.New("it is still at work, as its stream says") // all the while: no pause is due
	errNoResult     = errors.New("the peer has no result yet")
	errPeerNotTold  = errors.New("the peer was not told that its task is canceled")
)

// loseOrTryAgain has a peer asked again that is at work or does not answer, or gives it up
// when it has had its time. Temporal reads no word of the peer's.
func (a *Activities) loseOrTryAgain(ctx context.Context, work store.PeerWork, patience time.Duration, why error) (PeerResult, error) {
	if errors.Is(why, context.Canceled) {
		return PeerResult{}, why
	}
	since := a.Store.Now().Sub(time.UnixMicro(max(work.Begun, work.Answered)))
	pause := errand.PeerPause(since)
	switch {
	case errors.Is(why, errand.ErrPeerMayHaveBegun):
		pause = time.Minute // for the attempt that is the last
	case errors.Is(why, errPeerFollowed):
		pause = time.Second
	}
	// A peer that asks waits for a person, who has as long as a question is open.
	if work.State != errand.InputRequired && since >= patience {
		a.Logger.Warn("a peer is given up", "task", work.Task, "agent", work.Agent, "error", why)
		lost := fmt.Errorf("%s has not answered in %s. The last that was known: %s", work.Agent.Display(), errand.Age(patience), errand.Cut(why.Error(), 300))
		return a.losePeer(ctx, PeerInput{Task: work.Task, Agent: work.Agent}, errand.PeerTask{ID: work.PeerTask, State: work.State}, lost.Error())
	}
	name := "peer"
	if errors.Is(why, errPeerAtWork) || errors.Is(why, errPeerFollowed) {
		name = "at-work"
	} else {
		a.Logger.Info("a peer does not answer; it is asked again", "task", work.Task, "agent", work.Agent, "attempt", activity.GetInfo(ctx).Attempt, "error", why)
	}
	return PeerResult{}, temporal.NewApplicationErrorWithOptions(errNoResult.Error(), name, temporal.ApplicationErrorOptions{
		NextRetryDelay: pause})
}
