package discord

import (
	"context"
	"strings"

	"errand/internal/channels/discord"
	"errand/internal/core"
	"errand/notifiers"
)

// direct resolves a route to a person to their private channel. Discord creates the channel if
// necessary. Repeated calls get the same channel.
func (t *Notifier) direct(ctx context.Context, r core.Route) (core.Route, error) {
	person, ok := strings.CutPrefix(r.Chat, core.DirectTo)
	if !ok {
		return r, nil
	}
	a, ok := t.accounts[r.Account]
	switch {
	case !ok:
		return r, notifiers.NotSetUp(r.At())
	case !discord.IsID(person):
		return r, notifiers.Refusedf("%q is not the id of a person on Discord, which is a number", core.Cut(person, 40))
	}
	dm, err := a.rest.DirectChannel(ctx, person)
	if err != nil {
		send := a.explain(err)
		if send.Outcome == notifiers.Unknown { // the call sends no message, so a retry is safe
			send.Outcome = notifiers.NotSent
		}
		return r, send
	}
	r.Chat = dm.ID
	return r, nil
}
