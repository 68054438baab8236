package intake

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"errand"
	"errand/internal/service"
)

// listed reports whether a sender is on the list, with any id that they come with
// or are known by.
func (i *Intake) listed(ctx context.Context, access service.Access, in Inbound, p service.Person) (bool, error) {
	ids := slices.Clone(in.Sender.IDs)
	if p.ID != "" {
		known, err := i.service.Store.Identities(ctx, p.ID)
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

// Admits reports whether an account of ours would take what a person writes to it:
// they are known on its platform, and are on its list, if it has one.
func (i *Intake) Admits(ctx context.Context, at errand.Account, person errand.PersonID) (bool, error) {
	known, err := i.service.Store.Identities(ctx, person)
	if err != nil {
		return false, err
	}
	access := i.service.Access.On(errand.Route{Channel: at.Channel, Account: at.Name})
	return slices.ContainsFunc(known, func(i service.Identity) bool {
		return i.HoldsOn(at) && (access.Mode != service.AccessAllowlist ||
			slices.ContainsFunc(access.Allow, func(a string) bool { return sameID(a, i.ExternalID) }))
	}), nil
}

// NumbersOf returns the ids that are digits alone of those who are on the list of an
// account of ours or are known on its platform: phone numbers on WhatsApp, people's
// ids on Discord. A platform can be asked about them.
func (i *Intake) NumbersOf(ctx context.Context, at errand.Account) ([]string, error) {
	known, err := i.service.Store.Identities(ctx, "")
	if err != nil {
		return nil, err
	}
	var ids, numbers []string
	if access := i.service.Access.On(errand.Route{Channel: at.Channel, Account: at.Name}); access.Mode == service.AccessAllowlist {
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

// sameID compares ids as people write them: a number may have spaces, dashes and
// a plus, or not.
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
