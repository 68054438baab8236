package app

import (
	"errand"
	"errand/activities"
	"errand/internal/config"
	"errand/internal/presence"
	"errand/notifiers"
)

func (a *App) newPresence(cfg *config.Config, out *notifiers.Router) (*presence.Presence, error) {
	of := map[errand.Account]config.Channel{}
	for _, c := range cfg.Channels {
		of[c.At()] = c
	}
	return presence.New(presence.Options{Store: a.Store, Notifiers: out, Logger: a.log,
		Reacts:  func(r errand.Route) bool { return of[r.At()].Reactions },
		Streams: func(at errand.Account) bool { return of[at].Streaming },
		Holds:   a.connections.Holds,
		Worded: func(n errand.Notification) errand.Notification {
			return activities.CandidateOn(a.acts, n, n.Route.Account)
		}})
}

// startPresence shows on platforms that somebody is at work, until Stop. What is under way
// needs the store.
func (a *App) startPresence() { a.runUntilStop(a.presence.Run) }
