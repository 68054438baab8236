package ownprocess

import (
	"os"
	"os/signal"
	"syscall"
	"time"
)

// Limits are what the process of a job may use up. Beside them it has no core file, makes
// no file longer, and opens nothing: it has the files and connections that it was started
// with.
type Limits struct {
	Memory uint64        // that is written to, in bytes
	CPU    time.Duration // of the processor, rounded up to whole seconds
	// Nobody takes root's rights from a process that has them, or is an error: it runs
	// what somebody else has written.
	Nobody bool
}

// Confine takes from this process what its job must not have, for ever. Where the system
// has no such limits, it bounds nothing: the time is bounded by the process that started
// this one, and memory by what the job knows of its input.
func Confine(l Limits) error { return confine(l) }

// IgnoreInterrupts leaves the end of this process to the one that started it. Ctrl-C, or a
// service manager's stop, is for that one, and reaches both: it ends this one when it is
// time. Otherwise the job would seem to have ended its process.
func IgnoreInterrupts() { signal.Ignore(os.Interrupt, syscall.SIGTERM, syscall.SIGHUP) }
