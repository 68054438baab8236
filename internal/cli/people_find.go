package cli

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"errand/internal/cli/client"
	"errand/internal/cli/console"
)

// person finds somebody by id, the beginning of it, or name.
func (c *cli) person(ctx context.Context, who string) (json.RawMessage, error) {
	raw, people, err := c.people(ctx)
	if err != nil {
		return nil, err
	}
	fit := meant(people, who)
	switch len(fit) {
	case 0:
		return nil, console.Failf("there is nobody called %q: see errand users list", who)
	case 1:
		return raw[fit[0]], nil
	}
	return nil, several(people, fit, who)
}

// people returns everybody, as sent and as understood.
func (c *cli) people(ctx context.Context) (rows []json.RawMessage, people []person, err error) {
	raw, err := c.Get(ctx, client.Resource("people"))
	if err != nil {
		return nil, nil, err
	}
	if rows, err = console.Decoded[[]json.RawMessage](raw); err != nil {
		return nil, nil, err
	}
	people, err = console.Decoded[[]person](raw)
	return rows, people, err
}

// meant returns who of people who can mean: whoever has it as their id, or else
// those with it as their name, or else those whose id begins with it.
func meant(people []person, who string) (fit []int) {
	ways := []func(person) bool{
		func(p person) bool { return string(p.ID) == who },
		func(p person) bool { return strings.EqualFold(p.Name, who) },
		func(p person) bool {
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

func several(people []person, fit []int, who string) error {
	var names []string
	for _, i := range fit {
		names = append(names, people[i].displayName())
	}
	return console.Failf("%q fits more than one person: %s; give more of the id", who, strings.Join(names, ", "))
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
	raw, err := c.person(ctx, who)
	var no *client.Refusal
	if errors.As(err, &no) && no.Status == http.StatusForbidden {
		return who, nil
	}
	if err != nil {
		return "", err
	}
	p, err := console.Decoded[person](raw)
	return string(p.ID), err
}

// nameMatches adds to a refusal because of a name that fits several people who they
// are. Who may not see them gets the refusal as it is.
func (c *cli) nameMatches(ctx context.Context, who string, err error) error {
	var no *client.Refusal
	if !errors.As(err, &no) || no.Code != "ambiguous" || who == "" {
		return client.WithHint(err, "users list")
	}
	_, people, asked := c.people(ctx)
	if asked != nil {
		return err
	}
	if fit := meant(people, who); len(fit) > 1 {
		return several(people, fit, who)
	}
	return err
}
