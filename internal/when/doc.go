// Package when understands what people and models write about a time, and
// computes when that is: once, or again and again.
//
// Recurrence is kept as an RFC 5545 RRULE, with the time zone whose clock on the
// wall it is about. A local time that a change of clocks leaves out comes at the
// shifted time, once; one that comes twice comes the first time only. "Every two
// hours" is time that passes: no change of clocks touches it.
//
// The week, the month and the names of days are English, and Spanish in a small
// way. Where only a day is given, it is at nine.
package when
