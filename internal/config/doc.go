// Package config loads everything that can be set into one [Config], checked
// as a whole: defaults < errand.yaml < environment < flags.
//
// What is wrong is told with the line at fault, all of it at once:
//
//	errand.yaml:12: agent "writer": unknown model "gpt-x"
//
// The types of the file say which keys there are and what they take. The schema is made
// of them ("go generate"); [Load] checks the file against it, decodes what fits, and then
// checks what depends on other sections, on files and on the environment.
//
// Secrets are never in the file: it names environment variables, and [Load]
// reads them.
package config
