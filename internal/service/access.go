package service

import "errand"

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

// RoleOr is the role of those who are let in: Role, or another where it is empty.
func (a Access) RoleOr(otherwise errand.Role) errand.Role {
	if a.Role != "" {
		return a.Role
	}
	return otherwise
}

// AccessRules say who gets in, by channel, or by "channel/account".
type AccessRules map[string]Access

// On returns who gets in on a route.
func (a AccessRules) On(r errand.Route) Access {
	if on, ok := a[r.Channel+"/"+r.Account]; ok {
		return on
	}
	return a[r.Channel]
}
