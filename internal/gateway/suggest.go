package gateway

import (
	"context"
	"errors"
	"strings"

	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/store"
)

// A Suggestion is a word that somebody may be about to type behind a command.
type Suggestion struct {
	Word  string // "finn", "t-7k3m9q2x"
	About string // what it stands for
}

// mostSuggestions is how many make a list that is still read.
const mostSuggestions = 25

// Suggest returns what the sender of in may mean who has typed a command and the
// beginning of a word behind it: agents they may talk with, and tasks of theirs.
// Whoever is not known is suggested nothing.
func (g *Gateway) Suggest(ctx context.Context, in Inbound, name, begun string) ([]Suggestion, error) {
	p, err := g.Store.Identify(ctx, in.Route.Channel, in.Route.Account, in.Sender.IDs...)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	by := service.ActorFor(p)
	if !g.Rights.May(by.Role, rights.Command, name) {
		return nil, nil
	}
	var list []Suggestion
	switch name {
	case "/agent":
		list, err = g.suggestAgents(ctx, by, in)
	case "/task":
		list, err = g.suggestTasks(ctx, by, false)
	case "/cancel":
		list, err = g.suggestTasks(ctx, by, true)
	}
	return matching(list, begun), err
}

func (g *Gateway) suggestAgents(ctx context.Context, by service.Actor, in Inbound) ([]Suggestion, error) {
	key := store.InboxMessage{Route: in.Route, Person: by.Person, Shared: in.Group && g.shares(in.Route)}.Session()
	agents, err := g.AgentsFor(ctx, by, key)
	var list []Suggestion
	for _, a := range agents {
		if a.Talks || a.Active {
			list = append(list, Suggestion{string(a.Name), a.Description})
		}
	}
	return list, err
}

func (g *Gateway) suggestTasks(ctx context.Context, by service.Actor, open bool) ([]Suggestion, error) {
	tasks, err := g.Store.Tasks(ctx, store.TaskFilter{Person: by.Person})
	var list []Suggestion
	for _, t := range tasks {
		if !open || !t.State.Terminal() {
			list = append(list, Suggestion{string(t.ID), t.AgentList() + ": " + t.Title})
		}
	}
	return list, err
}

// matching keeps what begins with what was typed, or has it in its description.
func matching(list []Suggestion, begun string) []Suggestion {
	begun = strings.ToLower(strings.TrimSpace(begun))
	var first, then []Suggestion
	for _, s := range list {
		switch word := strings.ToLower(s.Word); {
		case strings.HasPrefix(word, begun), strings.HasPrefix(strings.TrimPrefix(word, "t-"), begun):
			first = append(first, s)
		case strings.Contains(strings.ToLower(s.About), begun):
			then = append(then, s)
		}
	}
	first = append(first, then...)
	return first[:min(len(first), mostSuggestions)]
}
