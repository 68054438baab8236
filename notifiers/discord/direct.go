package discord

import (
	"context"
	"net/http"
	"strings"

	"github.com/bwmarrin/discordgo"

	"errand"
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
	case !isID(person):
		return r, refused("%q is not the id of a person on Discord, which is a number", errand.Cut(person, 40))
	}
	var dm struct{ ID string }
	err := a.rest.Call(ctx, http.MethodPost, discordgo.EndpointUserChannels("@me"), map[string]any{"recipient_id": person}, &dm)
	if err != nil {
		send := a.explain(err)
		if send.Fate == notifiers.Doubt { // nothing was written
			send.Fate = notifiers.NotSent
		}
		return r, send
	}
	r.Chat = dm.ID
	return r, nil
}
