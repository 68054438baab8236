package service

import "errand/internal/core"

// An AccessMode decides how errand treats unknown senders.
type AccessMode string

// The modes of access.
const (
	AccessPairing   AccessMode = "pairing"   // they get a code, which an authorized person has to approve
	AccessAllowlist AccessMode = "allowlist" // only listed senders get in; errand does not answer others
	AccessOpen      AccessMode = "open"      // every sender gets in
)

// An Access decides who gets in on a channel. The zero value is pairing.
type Access struct {
	Mode AccessMode
	// Allow lists the external ids of an allowlist. Any of a person's ids on the channel counts.
	Allow []string
	// Role is the role of people who get in: default guest with open, member with allowlist.
	Role core.Role
}

// RoleOr returns Role, or otherwise if Role is empty.
func (a Access) RoleOr(otherwise core.Role) core.Role {
	if a.Role != "" {
		return a.Role
	}
	return otherwise
}

// AccessRules decide who gets in, by channel or by "channel/account".
type AccessRules map[string]Access

// On returns the rule for a route. That of its account takes precedence over that of its channel.
func (a AccessRules) On(r core.Route) Access {
	if on, ok := a[r.Channel+"/"+r.Account]; ok {
		return on
	}
	return a[r.Channel]
}
