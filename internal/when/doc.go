// Package when reads the times of reminders and computes when they come: once, or again
// and again.
//
// A recurrence is an RFC 5545 RRULE with the time zone of its local times. A local time
// that a change of clocks skips comes shifted, once. A local time that occurs twice comes
// the first time only. A rule that counts hours or minutes counts elapsed time.
//
// Models write a time or a rule. People can also type the phrases of [Parse].
package when
