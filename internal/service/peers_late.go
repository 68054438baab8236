package service

import (
	"context"
	"errors"
	"sync"
	"time"

	"errand/internal/core"
	"errand/internal/probe"
	"errand/internal/store"
)

// A Peer is another system that runs an agent of the roster.
type Peer interface {
	// Poll returns the state of a task at the peer.
	Poll(ctx context.Context, id string) (core.PeerTask, error)
}

const (
	maxPolls        = 20               // in one pass
	maxPollsPerPeer = 4                // at once, because a result may have 16 MB of files and a peer may be slow
	pollTimeout     = 40 * time.Second // of one poll, with the files of the result
)

// PollLatePeers asks peers for late results of tasks that have ended here. One worker calls it
// every five seconds.
func (i *Internal) PollLatePeers(ctx context.Context) error {
	agents := make([]core.AgentName, 0, len(i.Peers))
	for name := range i.Peers {
		agents = append(agents, name)
	}
	due, err := i.Store.LatePeers(ctx, agents, maxPolls)
	if err != nil {
		return err
	}
	answers, errs := make([]*core.Task, len(due)), make([]error, len(due))
	var polls sync.WaitGroup
	for n, work := range due {
		polls.Go(func() {
			leave, err := i.polls.Acquire(ctx, work.Agent)
			if err != nil {
				errs[n] = err
				return
			}
			defer leave()
			answers[n], errs[n] = i.pollLatePeer(ctx, work)
		})
	}
	polls.Wait()
	// Store all answers before the first signal, so that they become one turn.
	for _, late := range answers {
		if late != nil {
			errs = append(errs, i.signalLate(ctx, late))
		}
	}
	return errors.Join(errs...)
}

func (i *Internal) signalLate(ctx context.Context, late *core.Task) error {
	err := i.Dispatch.TaskFinished(ctx, *late)
	i.Points.At(probe.AfterLateSignal)
	return err
}

func (i *Internal) pollLatePeer(ctx context.Context, work store.PeerWork) (*core.Task, error) {
	polling, end := context.WithTimeout(ctx, pollTimeout)
	status, err := i.Peers[work.Agent].Poll(polling, work.PeerTask)
	end()
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		i.Logger.Info("peer does not answer about a task that ended here; errand will ask again", "task", work.Task, "agent", work.Agent, "error", err)
		return nil, forgotten(i.Store.PostponePoll(ctx, work.Task, work.Agent))
	}
	i.Points.At(probe.BeforeLate)
	return i.keepLate(ctx, work.Task, work.Agent, status)
}

// keepLate stores a late answer, and returns the one to deliver, or nil.
func (i *Internal) keepLate(ctx context.Context, id core.TaskID, agent core.AgentName, answer core.PeerTask) (*core.Task, error) {
	late, first, err := i.Store.KeepLateAnswer(ctx, id, agent, answer)
	i.Points.At(probe.AfterLate)
	if errors.Is(err, store.ErrNotFound) {
		i.Logger.Warn("late answer dropped, because its task was deleted with its session", "task", id, "agent", agent)
	}
	if late == nil || !first || err != nil {
		return nil, forgotten(err)
	}
	i.LateAnswers.Add(string(late.Late))
	log := i.Logger.With("task", id, "agent", agent, "kind", late.Late, "kept_as", late.ID)
	switch {
	case late.Way != core.WayNone:
		log.Info("late answer arrived")
		return late, nil
	case late.Origin.Chat == "":
		log.Warn("late answer arrived, but its task has no chat")
	default:
		log.Info("agent still works on a task that has ended; its answer is stored, but not delivered")
	}
	return nil, nil
}

func forgotten(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}
