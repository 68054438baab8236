package sandbox

import "io"

// The jobs, as the argument of a process.
const (
	ReadPDF           = "read-pdf"
	ReadHTML          = "read-html"
	ReadSearchResults = "read-results"
	ShrinkPicture     = "shrink-picture"
	RunJavaScript     = "run-javascript"
)

// RunJob does the job that the arguments of this process name, and returns the exit code. is
// reports whether they name a job. A job reads its input from in and writes its result to out.
func RunJob(args []string, in io.Reader, out, errs io.Writer) (code int, is bool) {
	if len(args) != 1 {
		return 0, false
	}
	switch args[0] {
	case ReadPDF, ReadHTML, ReadSearchResults:
		return readDocument(args[0], in, out), true
	case ShrinkPicture:
		return shrinkPicture(in, out), true
	case RunJavaScript:
		return runJavaScript(in, out, errs), true
	}
	return 0, false
}
