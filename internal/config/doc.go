// Package config loads everything that can be set into one [Config], checked
// as a whole: defaults < errand.yaml < environment < flags.
//
// What is wrong is told with the line at fault, all of it at once:
//
//	errand.yaml:12: agent "writer": unknown model "gpt-x"
//
// Secrets are never in the file: it names environment variables, and [Load]
// reads them.
package config
