package app

import (
	"os"

	"errand/internal/sandbox"
)

// Job runs a job for which the program has started itself as another process, and returns the exit
// code. is reports whether the command line names a job.
func Job(args []string) (code int, is bool) {
	return sandbox.RunJob(args, os.Stdin, os.Stdout, os.Stderr)
}
