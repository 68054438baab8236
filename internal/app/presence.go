package app

import (
	"errand/activities"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/presence"
	"errand/notifiers"
)

func (a *App) newPresence(cfg *config.Config, out *notifiers.Router) (*presence.Presence, error) {
	of, voices := map[core.Account]config.Channel{}, voicesOf(cfg)
	for _, c := range cfg.Channels {
		of[c.At()] = c
	}
	return presence.New(presence.Options{Store: a.Store, Notifiers: out, Logger: a.log,
		Reacts:  func(r core.Route) bool { return of[r.At()].Reactions },
		Streams: func(at core.Account) bool { return of[at].Streaming },
		Holds:   a.connections.Holds,
		Worded:  func(n core.Notification) core.Notification { return voices.On(n.Route.Account, n) }})
}

func voicesOf(cfg *config.Config) activities.Voices {
	return activities.Voices{Roster: cfg.Roster, Accounts: accountsOf(cfg)}
}

func (a *App) startPresence() { a.runUntilStop(a.presence.Run) }
