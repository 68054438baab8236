package cli

import (
	"context"
	"errors"
	"net/http"
	"strings"

	api "errand/client"
)

func (c *cli) person(ctx context.Context, who string) (found api.Answer[api.PersonView], err error) {
	people, err := c.API().ListPeople(ctx, nil)
	if err != nil {
		return found, err
	}
	rows, err := c.Rows(people.Raw)
	if err != nil {
		return found, err
	}
	fit := meant(people.Value, who)
	switch len(fit) {
	case 0:
		return found, c.Failf("there is nobody called %q: see errand users list", who)
	case 1:
		return api.Answer[api.PersonView]{Value: people.Value[fit[0]], Raw: rows[fit[0]]}, nil
	}
	return found, c.several(people.Value, fit, who)
}

// meant returns who of people who can mean: whoever has it as their id, or else
// those with it as their name, or else those whose id begins with it.
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

func (c *cli) several(people []api.PersonView, fit []int, who string) error {
	var names []string
	for _, i := range fit {
		names = append(names, displayName(people[i].ID, people[i].Name))
	}
	return c.Failf("%q fits more than one person: %s; give more of the id", who, strings.Join(names, ", "))
}

// personID returns the id of who somebody means, for a query; all means
// everybody. Who may not see
// the list of people says it themselves.
func (c *cli) personID(ctx context.Context, who string) (string, error) {
	switch who {
	case "":
		return "", nil // one's own
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

// nameMatches adds to a refusal because of a name that fits several people who they
// are. Who may not see them gets the refusal as it is.
func (c *cli) nameMatches(ctx context.Context, who string, err error) error {
	var no *api.Problem
	if !errors.As(err, &no) || no.Code != "ambiguous" || who == "" {
		return c.WithHint(err, "users list")
	}
	people, asked := c.API().ListPeople(ctx, nil)
	if asked != nil {
		return err
	}
	if fit := meant(people.Value, who); len(fit) > 1 {
		return c.several(people.Value, fit, who)
	}
	return err
}
