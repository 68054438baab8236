// Package chaos kills errand's processes at every point where a crash is worth
// trying, and counts outside of them what became of the work. It holds tests
// only:
//
//	go test ./internal/chaos -run TestKill -v
//
// ERRAND_CHAOS=full adds the points on a Temporal server in a process of its
// own, with the worker, the server or both killed; it takes some minutes.
package chaos
