package ownerkey

import (
	"slices"
	"strings"
)

// secrets are the variables that make whoever has them the owner. The last is how
// Temporal's programs are given the key of another installation.
var secrets = []string{Env, "ERRAND_TOKEN", "TEMPORAL_API_KEY", Env + "_FILE", "ERRAND_TOKEN_FILE", "TEMPORAL_API_KEY_FILE"}

// ChildEnv returns the environment for a process that errand starts: that of
// errand without what would make the process the owner, under whatever name.
// Code that an agent wrote, or a server of tools, acts for the person it works
// for and for nobody else.
func ChildEnv(environ []string) []string {
	isSecret := func(name string) bool {
		return slices.ContainsFunc(secrets, func(s string) bool { return strings.EqualFold(s, name) })
	}
	var values []string
	for _, variable := range environ {
		if name, value, _ := strings.Cut(variable, "="); isSecret(name) && value != "" {
			values = append(values, value)
		}
	}
	return slices.DeleteFunc(slices.Clone(environ), func(variable string) bool {
		name, value, _ := strings.Cut(variable, "=")
		return isSecret(name) || slices.Contains(values, value)
	})
}
