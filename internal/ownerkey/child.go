package ownerkey

import (
	"slices"
	"strings"
)

// secrets are the variables that grant the rights of the owner. Temporal's programs receive the key
// of another installation in TEMPORAL_API_KEY.
var secrets = []string{Env, "ERRAND_TOKEN", "TEMPORAL_API_KEY", Env + "_FILE", "ERRAND_TOKEN_FILE", "TEMPORAL_API_KEY_FILE"}

// ChildEnv returns the environment for a process that errand starts: errand's environment without
// the variables that grant the rights of the owner. Generated code and tool servers must act only
// for the person they work for.
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
