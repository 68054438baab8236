// Package devserver is the embedded Temporal: the real server (go.temporal.io/server) on one SQLite
// file, with its Web UI, both on loopback only. Only this package imports them. The build tag
// nodevserver leaves them out, for images that always use a separate cluster.
//
// The file has control flow only: ids and enums, no texts of people. Its loss is not fatal (see
// [Replace]). So a file that this server cannot read is reported and left unchanged, never repaired
// or migrated in place.
//
// Only one process may use a folder at a time. The caller holds the lock of the folder.
package devserver
