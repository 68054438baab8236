package discord

import (
	"context"
	"strings"

	"errand"
	"errand/internal/platform/discord"
	"errand/notifiers"
)

// direct returns a route with the channel that it means: that of the private chat
// with a person, where it names one. Discord makes it, or tells which it is; its
// answer is the same each time.
func (t *Notifier) direct(ctx context.Context, r errand.Route) (errand.Route, error) {
	person, ok := strings.CutPrefix(r.Chat, errand.DirectTo)
	if !ok {
		return r, nil
	}
	a, ok := t.accounts[r.Account]
	switch {
	case !ok:
		return r, notifiers.NotSetUp(r.At())
	case !discord.IsID(person):
		return r, notifiers.Refusedf("%q is not the id of a person on Discord, which is a number", errand.Cut(person, 40))
	}
	dm, err := a.rest.DirectChannel(ctx, person)
	if err != nil {
		send := a.explain(err)
		if send.Outcome == notifiers.Unknown { // nothing was written
			send.Outcome = notifiers.NotSent
		}
		return r, send
	}
	r.Chat = dm.ID
	return r, nil
}
