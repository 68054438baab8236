package commands

import (
	"context"
	"strings"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
)

// A Suggestion is a completion for a command's argument.
type Suggestion struct {
	Word  string // "finn", "t-7k3m9q2x"
	About string // what the word means
}

const mostSuggestions = 25

// Suggest returns completions for a command's argument: agents, and the person's tasks.
func (r *Runner) Suggest(ctx context.Context, by actor.Actor, key core.SessionKey, name, prefix string) (list []Suggestion, err error) {
	if !r.allows(ctx, by, name) {
		return nil, nil
	}
	switch name {
	case "/team":
		prefix = strings.TrimPrefix(strings.TrimSpace(prefix), "@")
		list = r.suggestTeam(by)
	case "/agent":
		list, err = r.suggestAgents(ctx, by, key)
	case "/task":
		list, err = r.suggestTasks(ctx, by, false)
	case "/cancel":
		list, err = r.suggestTasks(ctx, by, true)
	}
	return matching(list, prefix), err
}

func (r *Runner) suggestAgents(ctx context.Context, by actor.Actor, key core.SessionKey) ([]Suggestion, error) {
	by.Here = key
	agents, err := ops.Do(ctx, r.deps.Runner, api.ListAgents, by, api.ListAgentsInput{ConversationKey: api.ConversationKey{Key: key}})
	var list []Suggestion
	for _, a := range agents {
		if a.Talks || a.Active {
			list = append(list, Suggestion{string(a.Name), a.Description})
		}
	}
	return list, err
}

func (r *Runner) suggestTeam(by actor.Actor) []Suggestion {
	var list []Suggestion
	for _, n := range r.askable(by) {
		a, _ := r.deps.Roster.Agent(n)
		list = append(list, Suggestion{"@" + string(n), a.Description})
	}
	return list
}

func (r *Runner) suggestTasks(ctx context.Context, by actor.Actor, open bool) ([]Suggestion, error) {
	tasks, err := r.listTasks(ctx, by, api.ListTasksInput{})
	var list []Suggestion
	for _, t := range tasks {
		if !open || !t.State.Terminal() {
			list = append(list, Suggestion{string(t.ID), t.AgentList() + ": " + t.Title})
		}
	}
	return list, err
}

func matching(list []Suggestion, prefix string) []Suggestion {
	prefix = strings.ToLower(strings.TrimSpace(prefix))
	var first, then []Suggestion
	for _, s := range list {
		switch word := strings.ToLower(s.Word); {
		case strings.HasPrefix(word, prefix), strings.HasPrefix(strings.TrimPrefix(word, "t-"), prefix):
			first = append(first, s)
		case strings.Contains(strings.ToLower(s.About), prefix):
			then = append(then, s)
		}
	}
	first = append(first, then...)
	return first[:min(len(first), mostSuggestions)]
}
