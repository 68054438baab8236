// Package errand holds the vocabulary of errand: the ids, routes, origins,
// tasks, messages and events that every other package speaks of.
//
// It has no effects: pure functions over its own words. It imports the standard library and
// google/uuid only.
package errand
