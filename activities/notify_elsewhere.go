package activities

import (
	"cmp"
	"context"
	"strings"

	"errand"
)

// notifyElsewhere tells people in private that a result is there which cannot be told
// in the chat that they asked for it in: it is gone. It does so once for a row, and
// reports whether there was somebody to tell.
func (a *Activities) notifyElsewhere(ctx context.Context, n errand.Notification) (notified bool, err error) {
	results, err := a.Store.ResultsOf(ctx, n)
	if err != nil {
		return false, err
	}
	commands := map[errand.PersonID][]string{}
	var people []errand.PersonID
	for _, r := range results {
		if commands[r.Person] == nil {
			people = append(people, r.Person)
		}
		commands[r.Person] = append(commands[r.Person], "/task "+string(r.Task))
	}
	for _, id := range people {
		route, ok, err := a.privateRoute(ctx, id, n.Route)
		if err != nil {
			return notified, err
		}
		if !ok {
			continue
		}
		p, err := a.Store.Person(ctx, id)
		if err != nil {
			return notified, err
		}
		text := a.Texts.For(p.Language, a.Language).Localize("gone.result", "commands", strings.Join(commands[id], ", "))
		_, err = a.Store.Answer(ctx, errand.Notification{Key: "elsewhere:" + string(id) + ":" + n.Key, Route: route, Event: errand.EventNotice, Text: text})
		if err != nil {
			return notified, err
		}
		notified = true
		if err := a.Sessions.WakeOutbox(ctx, route); err != nil {
			return notified, err
		}
	}
	return notified, nil
}

// privateRoute is the private chat of a person that is the nearest to a chat which
// is gone: on its account, on its channel, on any other account that is configured.
func (a *Activities) privateRoute(ctx context.Context, person errand.PersonID, gone errand.Route) (best errand.Route, ok bool, err error) {
	identities, err := a.Store.Identities(ctx, person)
	if err != nil {
		return best, false, err
	}
	rank := 0
	for _, id := range identities {
		for _, account := range a.Accounts {
			r := errand.DirectRoute(account.Account, id.ExternalID)
			if account.Channel != id.Channel || id.Account != "" && id.Account != account.Name || r == (errand.Route{Channel: gone.Channel, Account: gone.Account, Chat: gone.Chat}) {
				continue
			}
			this := 1
			if account.Channel == gone.Channel {
				this = 2
			}
			if account.Account == gone.At() {
				this = 3
			}
			// A number before an address that hides it.
			if this > rank || this == rank && strings.Contains(best.Chat, "@lid") {
				best, rank = r, this
			}
		}
	}
	return best, rank > 0, nil
}

// block notes that a platform refuses a row for good; unknown says that it may
// have arrived. If the chat is gone, people read elsewhere where the result is. An answer
// that another chat asked for is delivered there, unless it may have arrived here.
func (a *Activities) block(ctx context.Context, n errand.Notification, reason string, gone, unknown bool) error {
	if gone {
		notified, err := a.notifyElsewhere(ctx, n)
		switch {
		case err != nil: // the row stays open, and is refused again
			return err
		case notified:
			reason += "; a delivery of its own says in private where the result is, to whoever asked for it"
		}
	}
	if n.Source != "" && n.Task != "" && !unknown {
		delivered, err := a.answerWhereAsked(ctx, n)
		if err != nil {
			return err
		}
		if delivered {
			reason += "; the chat that asked gets it"
		}
	}
	return a.Store.MarkBlocked(ctx, n.ID, cmp.Or(reason, "refused"), unknown)
}
