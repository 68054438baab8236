// Package chaos kills errand's processes at every point where work could be lost, and
// counts from outside what became of the work. It holds tests only. What they try
// depends on ERRAND_CHAOS:
//
//	unset  the first point of each kind in one process on SQLite, and one fault on
//	       each platform: the sample that "go test ./..." has time for, some 20 s
//	some   every point in one process on SQLite; the first of each kind on a Temporal
//	       server in a process of its own and on PostgreSQL; all faults of platforms;
//	       new conversations on a busy Temporal. What has to hold before a change lands
//	full   every point everywhere, which takes an hour
//
// PostgreSQL, and that a second worker takes a connection over, is tried where
// ERRAND_TEST_APP_POSTGRES names a database:
//
//	ERRAND_CHAOS=some go test ./internal/chaos -v
//
// TestFuzz makes faults at random, for as long as ERRAND_CHAOS_FUZZ says, on a real
// Temporal server on PostgreSQL with two workers. It needs PostgreSQL's programs
// (apt-get install postgresql):
//
//	ERRAND_CHAOS_FUZZ=60s go test ./internal/chaos -run TestFuzz -v
package chaos
