package ownerkey

import (
	"slices"
	"strings"
)

// secrets are the variables that make whoever has them the owner.
var secrets = []string{Env, "ERRAND_TOKEN"}

// ChildEnv returns the environment for a process that errand starts: that of
// errand without what would make the process the owner. Code that an agent wrote,
// or a server of tools, acts for the person it works for and for nobody else.
func ChildEnv(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, _, _ := strings.Cut(variable, "=")
		return slices.ContainsFunc(secrets, func(s string) bool { return strings.EqualFold(s, name) })
	})
}
