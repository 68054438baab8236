package console

// An ExitCode tells scripts what became of a command. 0 is success.
type ExitCode int

const (
	ExitFailed      ExitCode = 1 // the thing itself failed
	ExitUsage       ExitCode = 2 // the command line was not understood
	ExitUnreachable ExitCode = 3 // the worker does not answer
	ExitUndecided   ExitCode = 4 // what was to be decided is neither a yes nor a no
)

// A Failure ends a command. An empty text means that everything has been said.
type Failure struct {
	Code ExitCode
	Text string
}

func (f *Failure) Error() string { return f.Text }
