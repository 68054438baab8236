package cli

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"errand/api"
	"errand/internal/cli/console"
)

func (c *cli) person(ctx context.Context, who string) (found api.Answer[api.PersonView], err error) {
	people, err := api.Call(ctx, c.API(), api.ListPeople, api.ListPeopleInput{})
	if err != nil {
		return found, err
	}
	rows, err := console.Rows(people.Raw)
	if err != nil {
		return found, err
	}
	fit := meant(people.Value.Items, who)
	switch len(fit) {
	case 0:
		return found, console.Failf("there is no person %q: see errand users list", who)
	case 1:
		return api.Answer[api.PersonView]{Value: people.Value.Items[fit[0]], Raw: rows[fit[0]]}, nil
	}
	return found, severalFit(people.Value.Items, fit, who)
}

// meant returns the people with that id, else those with that name, and else those whose id begins
// with who.
func meant(people []api.PersonView, who string) (fit []int) {
	ways := []func(api.PersonView) bool{
		func(p api.PersonView) bool { return string(p.ID) == who },
		func(p api.PersonView) bool { return strings.EqualFold(p.Name, who) },
		func(p api.PersonView) bool {
			id := strings.TrimPrefix(string(p.ID), "p-")
			return who != "" && strings.HasPrefix(id, strings.TrimPrefix(strings.ToLower(who), "p-"))
		},
	}
	for _, way := range ways {
		for i, p := range people {
			if way(p) {
				fit = append(fit, i)
			}
		}
		if len(fit) > 0 {
			return fit
		}
	}
	return nil
}

func severalFit(people []api.PersonView, fit []int, who string) error {
	var names []string
	for _, i := range fit {
		names = append(names, displayName(people[i].ID, people[i].Name))
	}
	return console.Failf("%q matches more than one person: %s; give more of the id", who, strings.Join(names, ", "))
}

// personID returns a person's id for a query. A caller who may not list people has to give the id.
func (c *cli) personID(ctx context.Context, who string) (string, error) {
	switch who {
	case "":
		return "", nil // the caller's own
	case "all", "*":
		return "*", nil
	}
	found, err := c.person(ctx, who)
	var no *api.Problem
	if errors.As(err, &no) && no.Status == http.StatusForbidden {
		return who, nil
	}
	return string(found.Value.ID), err
}

// nameMatches adds the matching people to an error about an ambiguous name, if the caller may see
// them.
func (c *cli) nameMatches(ctx context.Context, who string, err error) error {
	var no *api.Problem
	if !errors.As(err, &no) || no.Code != "ambiguous" || who == "" {
		return c.WithHint(err, "users list")
	}
	people, asked := api.Call(ctx, c.API(), api.ListPeople, api.ListPeopleInput{})
	if asked != nil {
		return err
	}
	if fit := meant(people.Value.Items, who); len(fit) > 1 {
		return severalFit(people.Value.Items, fit, who)
	}
	return err
}
