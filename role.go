package errand

import (
	"slices"
	"strings"
)

// A Role is what a person may do; each includes those before it.
type Role string

// The roles, from the least to the most.
const (
	Guest       Role = "guest"
	Member      Role = "member"
	Partner     Role = "partner"
	MasterAdmin Role = "master_admin"
)

// Roles returns all roles, from the least to the most.
func Roles() []Role { return []Role{Guest, Member, Partner, MasterAdmin} }

// Display is what people call r in English where the installation says nothing else.
// Other languages have the key "role." and r in package texts.
func (r Role) Display() string {
	switch r {
	case "":
		return ""
	case MasterAdmin:
		return "Admin"
	}
	return strings.ToUpper(string(r[:1])) + string(r[1:])
}

// Valid reports whether r is one of the roles.
func (r Role) Valid() bool { return r.rank() >= 0 }

// Includes reports whether whoever has role r may do what least asks for. A
// role that is not known may nothing, and what asks for one nobody may.
func (r Role) Includes(least Role) bool {
	return r.Valid() && least.Valid() && r.rank() >= least.rank()
}

// Lesser returns the role that may do less; one that is not known may nothing.
// Rights only narrow: down a chain of delegations, and from the time when
// something was asked for to the time when it is done.
func Lesser(a, b Role) Role {
	if a.rank() <= b.rank() {
		return a
	}
	return b
}

func (r Role) rank() int { return slices.Index(Roles(), r) }
