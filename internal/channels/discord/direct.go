package discord

import (
	"context"
)

// Discord restricts bots that open many direct messages.
const mostDirect = 50

// direct fetches first messages from people who wrote while errand was down. Discord does not list
// a bot's direct messages, but returns the channel of a given person. So direct asks for each
// person that errand knows. known are the chats that are fetched anyway.
func (r *run) direct(known map[string]bool, after uint64) {
	people, err := r.People(r.ctx)
	if err != nil {
		r.Logger.Warn("cannot read who wrote for the first time; they have to write again", "error", err)
		return
	}
	if len(people) > mostDirect {
		r.Logger.Info("first messages are looked up only for some people", "people", len(people), "of them", mostDirect)
		people = people[:mostDirect]
	}
	for _, id := range people {
		if ParseID(id) == 0 || id == r.me.ID {
			continue
		}
		c, err := r.rest.DirectChannel(r.ctx, id)
		switch {
		case r.ended():
			return
		case err != nil: // not a person on Discord, or a bot
			r.Logger.Debug("cannot read direct messages", "error", err)
			continue
		case known[c.ID] || ParseID(c.LastMessageID) <= after:
			continue
		}
		r.place(c)
		r.mu.Lock()
		if chat := r.chats[c.ID]; chat != nil { // a newer message arrived, but the missed ones before it are still to be fetched
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

// People returns the Discord ids of the known and the listed people.
type People func(context.Context) ([]string, error)
