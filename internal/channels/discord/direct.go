package discord

import (
	"context"

	"errand/internal/platform/discord"
)

// mostDirect bounds whose direct messages are looked at when a session begins:
// Discord does not like bots that open many.
const mostDirect = 50

// direct fetches what people wrote to us for the first time while nobody listened.
// Discord has no list of a bot's direct messages, and a session that begins anew is
// told of none; but of a person it tells which channel theirs is. So those are asked
// about whom errand knows, from wherever, or has on its list. known are the chats
// that are fetched anyway.
func (r *run) direct(known map[string]bool, after uint64) {
	people, err := r.People(r.ctx)
	if err != nil {
		r.Logger.Warn("who may have written for the first time is not known; they have to write again", "error", err)
		return
	}
	if len(people) > mostDirect {
		r.Logger.Info("first messages are looked for of some people only", "people", len(people), "of them", mostDirect)
		people = people[:mostDirect]
	}
	for _, id := range people {
		if discord.ParseID(id) == 0 || id == r.me.ID {
			continue
		}
		c, err := r.rest.DirectChannel(r.ctx, id)
		switch {
		case r.ended():
			return
		case err != nil: // they are no person on Discord, or a bot
			r.Logger.Debug("direct messages cannot be looked at", "error", err)
			continue
		case known[c.ID] || discord.ParseID(c.LastMessageID) <= after:
			continue
		}
		r.place(c)
		r.mu.Lock()
		if chat := r.chats[c.ID]; chat != nil { // something came in since: what was before it has not
			chat.last = min(chat.last, after)
		}
		r.mu.Unlock()
		r.put(c.ID, item{fetch: true, after: after})
	}
}

func (r *run) firstMessages(known map[string]bool, after uint64) {
	if r.People != nil && after > 0 {
		r.spawn(func() { r.direct(known, after) })
	}
}

// People returns the ids on Discord of those whom errand knows or has on its list.
type People func(context.Context) ([]string, error)
