package activities

import (
	"context"
	"strings"

	"errand/internal/core"
)

// notifyElsewhere informs people in private about a result if its chat is gone. It does so once for
// each row.
func (s *Sender) notifyElsewhere(ctx context.Context, n core.Notification) (notified bool, err error) {
	results, err := s.store.ResultsOf(ctx, n)
	if err != nil {
		return false, err
	}
	commands := map[core.PersonID][]string{}
	var people []core.PersonID
	for _, r := range results {
		if commands[r.Person] == nil {
			people = append(people, r.Person)
		}
		commands[r.Person] = append(commands[r.Person], "/task "+string(r.Task))
	}
	for _, id := range people {
		route, ok, err := s.privateRoute(ctx, id, n.Route)
		if err != nil {
			return notified, err
		}
		if !ok {
			continue
		}
		p, err := s.store.Person(ctx, id)
		if err != nil {
			return notified, err
		}
		text := s.phrases(p.Language).Localize("gone.result", "commands", strings.Join(commands[id], ", "))
		_, err = s.store.Answer(ctx, core.Notification{Key: "elsewhere:" + string(id) + ":" + n.Key, Route: route, Event: core.EventNotice, Text: text})
		if err != nil {
			return notified, err
		}
		notified = true
		if err := s.sessions.WakeOutbox(ctx, route); err != nil {
			return notified, err
		}
	}
	return notified, nil
}

func (s *Sender) privateRoute(ctx context.Context, person core.PersonID, gone core.Route) (best core.Route, ok bool, err error) {
	identities, err := s.store.Identities(ctx, person)
	if err != nil {
		return best, false, err
	}
	rank := 0
	for _, id := range identities {
		for _, account := range s.voices.Accounts {
			r := core.DirectRoute(account.Account, id.ExternalID)
			if account.Channel != id.Channel || id.Account != "" && id.Account != account.Name || r == (core.Route{Channel: gone.Channel, Account: gone.Account, Chat: gone.Chat}) {
				continue
			}
			this := 1
			if account.Channel == gone.Channel {
				this = 2
			}
			if account.Account == gone.At() {
				this = 3
			}
			// A number is better than a hidden address.
			if this > rank || this == rank && strings.Contains(best.Chat, "@lid") {
				best, rank = r, this
			}
		}
	}
	return best, rank > 0, nil
}
