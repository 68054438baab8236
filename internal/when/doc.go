// Package when is the parser and calculator of reminder times, both single and recurring.
//
// A recurrence is an RFC 5545 RRULE with a time zone for its local times. A local time that a
// change of clocks skips is shifted and occurs once. If a local time occurs twice, only the first
// counts. A rule in hours or minutes counts elapsed time.
//
// Models write a time or a rule. People can also type the phrases of [Parse].
package when
