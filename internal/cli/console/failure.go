package console

import "fmt"

// An ExitCode reports the result of a command to scripts. 0 is success.
type ExitCode int

const (
	ExitFailed      ExitCode = 1 // the action failed
	ExitUsage       ExitCode = 2 // invalid command line
	ExitUnreachable ExitCode = 3 // the worker does not respond
	ExitUndecided   ExitCode = 4 // a decision that is neither yes nor no
)

// A Failure ends a command. An empty text means that the command has already printed a message.
type Failure struct {
	Code ExitCode
	Text string
}

func (f *Failure) Error() string { return f.Text }

// Failf returns the failure of a valid command.
func Failf(format string, args ...any) error {
	return &Failure{ExitFailed, fmt.Sprintf(format, args...)}
}

// Misusef returns the failure of an invalid command line.
func Misusef(format string, args ...any) error {
	return &Failure{ExitUsage, fmt.Sprintf(format, args...)}
}
