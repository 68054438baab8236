package gateway

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"errand"
)

// An AccessMode says what becomes of a sender whom nobody knows.
type AccessMode string

// The modes of access.
const (
	AccessPairing   AccessMode = "pairing"   // they get a code that somebody has to approve
	AccessAllowlist AccessMode = "allowlist" // only those on the list get in; the others are not answered
	AccessOpen      AccessMode = "open"      // everybody gets in
)

// An Access is who gets in on a channel. The zero value is pairing.
type Access struct {
	Mode AccessMode
	// Allow is the list of an allowlist: external ids. A person is on it with any
	// id that they are known by on the channel.
	Allow []string
	// Role is of those whom open (default: guest) and allowlist (default: member)
	// let in.
	Role errand.Role
}

func (a Access) role(otherwise errand.Role) errand.Role {
	if a.Role != "" {
		return a.Role
	}
	return otherwise
}

// access returns who gets in on a route.
func (g *Gateway) access(r errand.Route) Access {
	if a, ok := g.Access[r.Channel+"/"+r.Account]; ok {
		return a
	}
	return g.Access[r.Channel]
}

// listed reports whether a sender is on the list, with any id that they come with
// or are known by.
func (g *Gateway) listed(ctx context.Context, access Access, in Arrival, p Person) (bool, error) {
	ids := slices.Clone(in.Sender.IDs)
	if p.ID != "" {
		known, err := g.Store.Identities(ctx, p.ID)
		if err != nil {
			return false, err
		}
		for _, i := range known {
			if holdsOn(i, in.Route.At()) {
				ids = append(ids, i.ExternalID)
			}
		}
	}
	return slices.ContainsFunc(ids, func(id string) bool {
		return slices.ContainsFunc(access.Allow, func(a string) bool { return sameID(a, id) })
	}), nil
}

// holdsOn reports whether an identity says who somebody is on an account of ours.
func holdsOn(i Identity, at errand.Account) bool {
	return i.Channel == at.Channel && (i.Account == at.Name || i.Account == "" || errand.SharesIDs(at.Channel))
}

// Admits reports whether an account of ours would take what a person writes to it:
// they are known on its platform, and are on its list, if it has one.
func (g *Gateway) Admits(ctx context.Context, at errand.Account, person errand.PersonID) (bool, error) {
	known, err := g.Store.Identities(ctx, person)
	if err != nil {
		return false, err
	}
	access := g.access(errand.Route{Channel: at.Channel, Account: at.Name})
	return slices.ContainsFunc(known, func(i Identity) bool {
		return holdsOn(i, at) && (access.Mode != AccessAllowlist ||
			slices.ContainsFunc(access.Allow, func(a string) bool { return sameID(a, i.ExternalID) }))
	}), nil
}

// NumbersOf returns the ids that are digits alone of those who are on the list of an
// account of ours or are known on its platform: phone numbers on WhatsApp, people's
// ids on Discord. A platform can be asked about them.
func (g *Gateway) NumbersOf(ctx context.Context, at errand.Account) ([]string, error) {
	known, err := g.Store.Identities(ctx, "")
	if err != nil {
		return nil, err
	}
	var ids, numbers []string
	if access := g.access(errand.Route{Channel: at.Channel, Account: at.Name}); access.Mode == AccessAllowlist {
		ids = append(ids, access.Allow...)
	}
	for _, i := range known {
		if holdsOn(i, at) {
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
