// Package errand holds the vocabulary of errand: the ids, routes, origins,
// tasks, messages and events that every other package speaks of.
//
// It has no behaviour of its own and imports the standard library and
// google/uuid only.
package errand
