package service

import (
	"context"
	"errors"
	"sync"
	"time"

	"errand"
	"errand/internal/probe"
	"errand/internal/store"
)

// A Peer is another system whose agent is one of ours.
type Peer interface {
	// Poll returns how a task stands there.
	Poll(ctx context.Context, id string) (errand.PeerTask, error)
}

const (
	mostPolls        = 20               // at peers in a pass; the next one goes on
	mostPollsPerPeer = 4                // at once: a result has up to 16 MB of files, and a peer may be slow
	pollTimeout      = 40 * time.Second // at one, with the files of its result
)

// PollLatePeers polls peers about tasks that have ended here, and reports their late answers.
// One worker calls it every five seconds.
func (s *Service) PollLatePeers(ctx context.Context) error {
	agents := make([]errand.AgentName, 0, len(s.Peers))
	for name := range s.Peers {
		agents = append(agents, name)
	}
	due, err := s.Store.LatePeers(ctx, agents, mostPolls)
	if err != nil {
		return err
	}
	answers, errs := make([]*errand.Task, len(due)), make([]error, len(due))
	var polls sync.WaitGroup
	for i, work := range due {
		polls.Go(func() {
			leave, err := s.polls.Acquire(ctx, work.Agent)
			if err != nil {
				errs[i] = err
				return
			}
			defer leave()
			answers[i], errs[i] = s.pollLatePeer(ctx, work)
		})
	}
	polls.Wait()
	// All of them are kept before the first is told: together they are one turn.
	for _, late := range answers {
		if late != nil {
			errs = append(errs, s.signalLate(ctx, late))
		}
	}
	return errors.Join(errs...)
}

func (s *Service) signalLate(ctx context.Context, late *errand.Task) error {
	err := s.Dispatch.TaskFinished(ctx, *late)
	s.Points.At(probe.AfterLateSignal)
	return err
}

// pollLatePeer looks at one peer. It returns the late answer that is to be told; nil: none.
func (s *Service) pollLatePeer(ctx context.Context, work store.PeerWork) (*errand.Task, error) {
	polling, end := context.WithTimeout(ctx, pollTimeout)
	status, err := s.Peers[work.Agent].Poll(polling, work.PeerTask)
	end()
	if err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		s.Logger.Info("a peer that nobody waits for does not answer; it is asked again", "task", work.Task, "agent", work.Agent, "error", err)
		return nil, forgotten(s.Store.PostponePoll(ctx, work.Task, work.Agent))
	}
	s.Points.At(probe.BeforeLate)
	return s.keepLate(ctx, work.Task, work.Agent, status)
}

// keepLate keeps what an agent has answered of a task that nobody waits for any more. It
// returns the late answer that is to be told; nil: none.
func (s *Service) keepLate(ctx context.Context, id errand.TaskID, agent errand.AgentName, answer errand.PeerTask) (*errand.Task, error) {
	late, first, err := s.Store.KeepLateAnswer(ctx, id, agent, answer)
	s.Points.At(probe.AfterLate)
	if errors.Is(err, store.ErrNotFound) {
		s.Logger.Warn("a late answer has come for a task that was deleted with its session; it is dropped", "task", id, "agent", agent)
	}
	if late == nil || !first || err != nil {
		return nil, forgotten(err)
	}
	s.LateAnswers.Add(string(late.Late))
	log := s.Logger.With("task", id, "agent", agent, "kind", late.Late, "kept_as", late.ID)
	switch {
	case late.Way != errand.WayNone:
		log.Info("a late answer has come")
		return late, nil
	case late.Origin.Chat == "":
		log.Warn("a late answer has come, and nobody is there to be told")
	default:
		log.Info("an agent is still at work on what nobody wants any more; that is kept, and told to nobody")
	}
	return nil, nil
}

// forgotten is err, unless it is that the task was deleted meanwhile.
func forgotten(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return nil
	}
	return err
}

// warnOfPeers logs which peers are still at work on tasks whose session is deleted: what they
// answer has no place any more.
func (s *Service) warnOfPeers(ctx context.Context, tasks []errand.Task) {
	for _, t := range tasks {
		for _, agent := range t.Agents {
			work, err := s.Store.PeerWork(ctx, t.ID, agent)
			if err == nil && work.PeerTask != "" && !work.State.Terminal() {
				s.Logger.Warn("a session is deleted while a peer is at work for it; a late answer is dropped", "task", t.ID, "agent", agent)
			}
		}
	}
}
