package serve

import (
	"os"

	"errand/internal/doctext"
	"errand/internal/picture"
	"errand/internal/quickjs"
)

// Job does a job that the program has called itself for, in a process of its own, and
// returns the exit code. is reports whether the command line names one.
func Job(args []string) (code int, is bool) {
	if len(args) != 1 {
		return 0, false
	}
	switch args[0] {
	case doctext.PDF, doctext.HTML, doctext.Results:
		return doctext.Main(args[0], os.Stdin, os.Stdout), true
	case picture.Argument:
		return picture.Main(os.Stdin, os.Stdout), true
	case quickjs.Argument:
		return quickjs.Main(os.Stdin, os.Stdout, os.Stderr), true
	}
	return 0, false
}
