package gateway

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"errand"
)

// How many workflows are woken at once by resume, and for how long: whoever is not
// woken finds out by itself within a minute.
const (
	resumeAtOnce = 16
	resumeWithin = 30 * time.Second
)

// Resume opens the installation again, and lets go on at once what waits for that,
// on whichever worker.
func (g *Gateway) Resume(ctx context.Context) error {
	if err := g.Store.Resume(ctx); err != nil {
		return err
	}
	// Whoever asked for it may be gone: all are woken that can be.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), resumeWithin)
	defer cancel()
	if err := g.wakePaused(ctx); err != nil {
		g.Logger.Warn("resumed; some of what waited goes on within a minute only", "error", err)
	}
	return nil
}

// wakePaused has every workflow that may wait look again.
func (g *Gateway) wakePaused(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(resumeAtOnce)
	seen := map[string]bool{}
	wake := func(id string) {
		if seen[id] {
			return
		}
		seen[id] = true
		group.Go(func() error { return g.Dispatch.Resume(ctx, id) })
	}
	// People first.
	err := g.eachAtWork(ctx, func(key errand.SessionKey) { wake(string(key)) }, func(t errand.Task) {
		for _, a := range t.Agents {
			wake(string(errand.SubAgentOwner(t.ID, a)))
		}
	})
	return errors.Join(err, group.Wait())
}

// eachAtWork calls session for each conversation, and then task for each task, that
// has something to do.
func (g *Gateway) eachAtWork(ctx context.Context, session func(errand.SessionKey), task func(errand.Task)) error {
	soon := time.Now().Add(time.Minute) // whatever the clocks of other workers say
	for key, err := range g.Store.Unclaimed(ctx, soon) {
		if err != nil {
			return err
		}
		session(key)
	}
	for key, err := range g.Store.OpenTurns(ctx, soon) {
		if err != nil {
			return err
		}
		session(key)
	}
	untold, err := g.Store.Untold(ctx, soon)
	if err != nil {
		return err
	}
	for _, t := range untold {
		if t.Parent == "" && t.Origin.SessionKey != "" {
			session(t.Origin.SessionKey)
		}
	}
	for t, err := range g.Store.OpenTasks(ctx) {
		if err != nil {
			return err
		}
		task(t)
	}
	return nil
}
