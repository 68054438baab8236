package core

import (
	"slices"
	"strings"
)

// A Role decides what a person may do. Each role includes the ones before it.
type Role string

// The roles, from the lowest to the highest.
const (
	Guest       Role = "guest"
	Member      Role = "member"
	Partner     Role = "partner"
	MasterAdmin Role = "master_admin"
)

// Roles returns all roles, from the lowest to the highest.
func Roles() []Role { return []Role{Guest, Member, Partner, MasterAdmin} }

// Display returns r in English. For other languages, package texts has the key "role." and r.
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

// Includes reports whether r is at least the role least. It is false for unknown roles.
func (r Role) Includes(least Role) bool {
	return r.Valid() && least.Valid() && r.rank() >= least.rank()
}

// Lesser returns the lower role. An unknown role is the lowest and may do nothing. Rights only
// narrow, along a chain of delegations and from a request to its execution.
func Lesser(a, b Role) Role {
	if a.rank() <= b.rank() {
		return a
	}
	return b
}

func (r Role) rank() int { return slices.Index(Roles(), r) }

// A pattern matches tools by name: "github.*" is every tool of the MCP server "github", and "*" is
// every tool. A star matches any characters, including dots, or none.

// IsPattern reports whether name contains a star.
func IsPattern(name string) bool { return strings.Contains(name, "*") }

// Matches reports whether name equals or matches pattern.
func Matches(pattern, name string) bool {
	head, rest, starred := strings.Cut(pattern, "*")
	if !starred {
		return pattern == name
	}
	if !strings.HasPrefix(name, head) {
		return false
	}
	name = name[len(head):]
	for {
		part, after, more := strings.Cut(rest, "*")
		if !more {
			return strings.HasSuffix(name, part)
		}
		i := strings.Index(name, part)
		if i < 0 {
			return false
		}
		name, rest = name[i+len(part):], after
	}
}
