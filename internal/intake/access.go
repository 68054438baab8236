package intake

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"errand/internal/core"
	"errand/internal/service"
)

// listed compares the allowlist with all ids of a sender, both sent and stored.
func (i *Intake) listed(ctx context.Context, access service.Access, in Inbound, p core.Person) (bool, error) {
	ids := slices.Clone(in.Sender.IDs)
	if p.ID != "" {
		known, err := i.deps.Store.Identities(ctx, p.ID)
		if err != nil {
			return false, err
		}
		for _, i := range known {
			if i.HoldsOn(in.Route.At()) {
				ids = append(ids, i.ExternalID)
			}
		}
	}
	return slices.ContainsFunc(ids, func(id string) bool {
		return slices.ContainsFunc(access.Allow, func(a string) bool { return sameID(a, id) })
	}), nil
}

// Admits reports whether an account accepts a person's messages: they have an identity on its
// platform and, if it has an allowlist, an id on that list.
func (i *Intake) Admits(ctx context.Context, at core.Account, person core.PersonID) (bool, error) {
	known, err := i.deps.Store.Identities(ctx, person)
	if err != nil {
		return false, err
	}
	access := i.deps.Access.On(core.Route{Channel: at.Channel, Account: at.Name})
	return slices.ContainsFunc(known, func(i core.Identity) bool {
		return i.HoldsOn(at) && (access.Mode != service.AccessAllowlist ||
			slices.ContainsFunc(access.Allow, func(a string) bool { return sameID(a, i.ExternalID) }))
	}), nil
}

// NumbersOf returns the numeric ids of the people on an account's list, and of those known on its
// platform: phone numbers on WhatsApp, user ids on Discord. The platform can look them up.
func (i *Intake) NumbersOf(ctx context.Context, at core.Account) ([]string, error) {
	known, err := i.deps.Store.Identities(ctx, "")
	if err != nil {
		return nil, err
	}
	var ids, numbers []string
	if access := i.deps.Access.On(core.Route{Channel: at.Channel, Account: at.Name}); access.Mode == service.AccessAllowlist {
		ids = append(ids, access.Allow...)
	}
	for _, i := range known {
		if i.HoldsOn(at) {
			ids = append(ids, i.ExternalID)
		}
	}
	for _, id := range ids {
		if id = plainID(id); id != "" && !strings.ContainsFunc(id, func(r rune) bool { return r < '0' || r > '9' }) {
			numbers = append(numbers, id)
		}
	}
	slices.Sort(numbers)
	return slices.Compact(numbers), nil
}

// sameID ignores case, spaces, dashes and plus signs.
func sameID(a, b string) bool { return strings.EqualFold(plainID(a), plainID(b)) }

func plainID(id string) string {
	id = strings.TrimSpace(id)
	digits := strings.Map(func(r rune) rune {
		if strings.ContainsRune(" -()+", r) {
			return -1
		}
		return r
	}, id)
	if digits == "" || strings.ContainsFunc(digits, func(r rune) bool { return !unicode.IsDigit(r) }) {
		return id
	}
	return digits
}
