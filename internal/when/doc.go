// Package when understands what people and models write about a time, and
// computes when that is: once, or again and again.
//
// Recurrence is kept as an RFC 5545 RRULE, with the time zone whose clock on the
// wall it is about. A local time that a change of clocks leaves out comes at the
// shifted time, once; one that comes twice comes the first time only. "Every two
// hours" is time that passes: no change of clocks touches it.
//
// Models write a time or a rule themselves: they know the language of whoever asks.
// For people there is a set of forms, in English and Spanish, that is read as a whole
// or refused. Libraries that look for times in prose are no help: they leave out what
// they do not know, and "the day after tomorrow" becomes tomorrow. Where only a day is
// given, it is at nine.
package when
