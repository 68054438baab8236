package service

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"errand"
	"errand/internal/rights"
)

// How many workflows are woken at once by resume, and for how long: whoever is not
// woken finds out by itself within a minute.
const (
	resumeAtOnce = 16
	resumeWithin = 30 * time.Second
)

// Resume opens the installation again, and lets go on at once what waits for that,
// on whichever worker.
func (s *Service) Resume(ctx context.Context, by Actor) error {
	if err := s.may(by, rights.InstallationPause); err != nil {
		return err
	}
	ctx = doing(ctx, by)
	if err := s.Store.Resume(ctx); err != nil {
		return err
	}
	// Whoever asked for it may be gone: all are woken that can be.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resumeWithin)
	defer cancel()
	if err := s.wakePaused(ctx); err != nil {
		s.Logger.Warn("resumed; some of what waited goes on within a minute only", "error", err)
	}
	return nil
}

func (s *Service) wakePaused(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(resumeAtOnce)
	seen := map[string]bool{}
	wake := func(id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		group.Go(func() error { return s.Dispatch.Resume(ctx, id) })
	}
	// People first.
	err := s.eachAtWork(ctx, func(key errand.SessionKey) { wake(string(key)) }, func(t errand.Task) {
		for _, a := range t.Agents {
			wake(string(errand.SubAgentOwner(t.ID, a)))
		}
	})
	return errors.Join(err, group.Wait())
}

// eachAtWork calls session for each conversation, and then task for each task, that
// has something to do.
func (s *Service) eachAtWork(ctx context.Context, session func(errand.SessionKey), task func(errand.Task)) error {
	soon := s.Store.Now().Add(time.Minute)
	for key, err := range s.Store.Unclaimed(ctx, soon) {
		if err != nil {
			return err
		}
		session(key)
	}
	for key, err := range s.Store.OpenTurns(ctx, soon) {
		if err != nil {
			return err
		}
		session(key)
	}
	for t, err := range s.Store.UndecidedTasks(ctx, soon) {
		if err != nil {
			return err
		}
		if t.Parent == "" && t.Origin.SessionKey != "" {
			session(t.Origin.SessionKey)
		}
	}
	for t, err := range s.Store.OpenTasks(ctx) {
		if err != nil {
			return err
		}
		task(t)
	}
	return nil
}

// Pause closes the budget of the whole installation: no model call begins.
func (s *Service) Pause(ctx context.Context, by Actor) error {
	if err := s.may(by, rights.InstallationPause); err != nil {
		return err
	}
	ctx = doing(ctx, by)
	return s.Store.Pause(ctx, by.Person)
}

// Paused reports whether the installation is paused.
func (s *Service) Paused(ctx context.Context, by Actor) (bool, error) {
	if err := s.may(by, rights.InstallationRead); err != nil {
		return false, err
	}
	return s.Store.Paused(ctx)
}

// Ready reports whether messages can be accepted and worked on.
func (s *Service) Ready(ctx context.Context) error {
	if err := s.Store.Ping(ctx); err != nil {
		return &NotReady{"store", err}
	}
	if err := s.Dispatch.Ping(ctx); err != nil {
		return &NotReady{"temporal", err}
	}
	return nil
}

// NotReady says which of the things that a worker stands on does not answer.
type NotReady struct {
	Part string // store or temporal
	Err  error  // for the log: it may tell addresses
}

func (n *NotReady) Error() string { return n.Part + " does not answer: " + n.Err.Error() }
func (n *NotReady) Unwrap() error { return n.Err }
