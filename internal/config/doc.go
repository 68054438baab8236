// Package config loads all settings into one [Config] and checks it as a whole: defaults <
// errand.yaml < environment < flags.
//
// It reports all errors at once, with their lines:
//
//	errand.yaml:12: agent "writer": unknown model "gpt-x"
//
// The Go types of the file define its keys and values. The schema is generated from them
// ("go generate"). [Load] checks the file against the schema, decodes the valid values,
// and then checks what depends on other sections, on files and on the environment.
//
// Secrets are never in the file. It names environment variables, and [Load] reads them.
package config
