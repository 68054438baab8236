// Package chaos kills errand's processes at every point where work could be lost, and
// counts from outside what became of the work. It holds tests only:
//
//	go test ./internal/chaos -run TestKill -v
//
// ERRAND_CHAOS=some adds the first point of each kind on a Temporal server in a
// process of its own and on PostgreSQL, and all faults of platforms; full adds
// every point everywhere, which takes an hour.
//
//	ERRAND_CHAOS_FUZZ=60s go test ./internal/chaos -run TestFuzz -v
//
// makes faults at random for a minute, on a real Temporal server on PostgreSQL
// with two workers. It needs PostgreSQL's programs (apt-get install postgresql).
package chaos
