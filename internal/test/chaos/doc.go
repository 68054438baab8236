// Package chaos kills errand's processes at every point where work could be lost, and
// counts from outside what became of the work. It holds tests only. What they try
// depends on ERRAND_CHAOS:
//
//	unset  the first point of each kind in one process on SQLite, two points at which a
//	       file is sent and one fault on each platform, a research errand that is killed
//	       twice: the sample that "go test ./..." has time for, some two and a half minutes
//	       on two cores
//	some   the other points in one process on SQLite; the first of each kind on a Temporal
//	       server in a process of its own and on PostgreSQL; every point of a file and all
//	       faults of platforms; new conversations on a busy Temporal; 500 tasks in flight on
//	       two workers. What has to hold before a change lands
//	full   every point everywhere, which takes an hour
//
// PostgreSQL, and that a second worker takes a connection or an MCP server over, is tried
// where ERRAND_TEST_APP_POSTGRES names a database:
//
//	ERRAND_CHAOS=some go test ./internal/test/chaos -v
//
// What is killed and stopped at random, for as long as one likes, is in the command soak
// below this folder.
package chaos
