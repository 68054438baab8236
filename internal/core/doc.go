// Package core is the vocabulary of errand: the ids, routes, origins, tasks, messages and events
// that all other packages use.
//
// It has no side effects and only pure functions. It imports only the standard library and
// google/uuid.
package core
