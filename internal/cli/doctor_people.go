package cli

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"errand/api"
	"errand/internal/core"
)

// examinePeople reports an id that two people have on different accounts of a platform whose ids
// are the same on all accounts. `errand users link --account` can cause that.
func (c doctor) examinePeople(ctx context.Context) []check {
	people, err := api.Call(ctx, c.API(), api.ListPeople, api.ListPeopleInput{})
	if err != nil {
		return nil
	}
	type sender struct{ channel, id string }
	owners := map[sender][]api.PersonView{}
	for _, p := range people.Value.Items {
		seen := map[sender]bool{}
		for _, i := range p.Identities {
			id := sender{i.Channel, i.ExternalID}
			if core.SharesIDs(i.Channel) && !seen[id] {
				seen[id] = true
				owners[id] = append(owners[id], p)
			}
		}
	}
	var checks []check
	ids := slices.SortedFunc(maps.Keys(owners), func(a, b sender) int {
		return cmp.Or(strings.Compare(a.channel, b.channel), strings.Compare(a.id, b.id))
	})
	for _, id := range ids {
		if len(owners[id]) < 2 {
			continue
		}
		var names []string
		for _, p := range owners[id] {
			names = append(names, displayName(p.ID, p.Name))
		}
		checks = append(checks, check{"people", false, fmt.Sprintf("%s belongs to %s on different accounts. On a new account, errand treats them as the person with the lower role", knownAs(id.channel, "", id.id, ""), strings.Join(names, " and also ")),
			fmt.Sprintf("link it to one person: errand users link PERSON %s", line(id.channel+" "+id.id))})
	}
	return checks
}
