package app

import (
	"context"

	"errand"
	"errand/internal/config"
	"errand/internal/presence"
	"errand/notifiers"
)

// newPresence makes what shows on platforms that somebody is at work.
func (a *App) newPresence(cfg *config.Config, out *notifiers.Router) (*presence.Presence, error) {
	reacts := map[errand.Account]bool{}
	for _, c := range cfg.Channels {
		reacts[c.At()] = c.Reactions
	}
	return presence.New(presence.Options{Store: a.Store, Notifiers: out, Logger: a.log,
		Reacts: func(r errand.Route) bool { return reacts[r.At()] }})
}

// startPresence shows on platforms that somebody is at work, until Stop.
func (a *App) startPresence() {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	a.serving.Go(func() { defer close(done); a.presence.Run(ctx) })
	a.stopWith(func(context.Context) {
		cancel()
		<-done // what is under way needs the store
	})
}
