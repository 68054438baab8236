package app

import (
	"context"

	"errand"
	"errand/internal/config"
	"errand/internal/presence"
	"errand/notifiers"
)

// startPresence shows on platforms that somebody is at work.
func (a *App) startPresence(cfg *config.Config, out *notifiers.Router) error {
	reacts := map[errand.Account]bool{}
	for _, c := range cfg.Channels {
		reacts[c.At()] = c.Reactions
	}
	p, err := presence.New(presence.Options{Store: a.Store, Notifiers: out, Logger: a.log,
		Reacts: func(r errand.Route) bool { return reacts[r.At()] }})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	a.serving.Go(func() { defer close(done); p.Run(ctx) })
	a.stopWith(func(context.Context) {
		cancel()
		<-done // what is under way needs the store
	})
	return nil
}
