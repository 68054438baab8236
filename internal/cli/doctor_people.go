package cli

import (
	"context"
	"maps"
	"slices"
	"strings"

	"errand"
)

// examinePeople reports ids of a platform that two people have: errand let the
// same sender in twice, when it did not know yet that the ids of the platform are
// the same on all accounts. Whoever may not see the others is told nothing.
func (c *cli) examinePeople(ctx context.Context) []check {
	_, people, err := c.people(ctx)
	if err != nil {
		return nil
	}
	owners := map[identity][]person{}
	for _, p := range people {
		seen := map[identity]bool{}
		for _, i := range p.Identities {
			id := identity{Channel: i.Channel, ExternalID: i.ExternalID}
			if errand.SharesIDs(i.Channel) && !seen[id] {
				seen[id] = true
				owners[id] = append(owners[id], p)
			}
		}
	}
	var checks []check
	ids := slices.SortedFunc(maps.Keys(owners), func(a, b identity) int { return strings.Compare(a.String(), b.String()) })
	for _, id := range ids {
		if len(owners[id]) < 2 {
			continue
		}
		var names []string
		for _, p := range owners[id] {
			names = append(names, p.displayName())
		}
		checks = append(checks, check{"people", false, id.String() + " is " + strings.Join(names, " and also ") + ": on each account as before, and on a new one whoever may less",
			"say who it is: errand users link PERSON " + line(id.Channel+" "+id.ExternalID)})
	}
	return checks
}
