// Package ownprocess has one job of this program done in a process of its own, with limits.
//
// A job whose input somebody else has made can use up the memory of whoever does it, or
// never come to its end. In Go nothing contains that but the end of the process. So the
// program calls itself for each such job: [Command] makes the call, without errand's
// environment, and [Output] carries it out. In the process that was started, the Main of
// the job calls [IgnoreInterrupts] at its beginning, and [Confine] before it reads what
// others have made.
package ownprocess
