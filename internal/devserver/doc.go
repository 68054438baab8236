// Package devserver is the embedded Temporal: the real server
// (go.temporal.io/server) on one SQLite file, and its Web UI, both on loopback
// only. It is their one home in the worker; the build tag nodevserver leaves
// them out, for an image that always uses a cluster of its own.
//
// The file keeps control flow only: ids and enums, never the words of people.
// Losing it is survivable (see [Replace]), so a file this server cannot read is
// reported and left alone, never repaired or migrated in place.
//
// One process at a time may use a folder; the caller holds the lock on it.
package devserver
