package devserver

import "fmt"

// An IncompatibleError reports a database file that this Temporal server cannot use: another
// version or program created it, or it is damaged. The file was not changed.
type IncompatibleError struct {
	Path   string // the file
	Reason string // "was made by …", "is damaged"
	Err    error  // from SQLite; may be nil
}

func (e *IncompatibleError) Error() string {
	msg := fmt.Sprintf("Temporal's database %s %s", e.Path, e.Reason)
	if e.Err != nil {
		msg += fmt.Sprintf(" (%v)", e.Err)
	}
	return msg + `: nothing has been touched; run "errand upgrade", which sets the file aside and begins a fresh one (conversations and open tasks are kept elsewhere and go on)`
}

func (e *IncompatibleError) Unwrap() error { return e.Err }

// A PortInUseError reports that another program uses the port of the server or of its Web UI.
// Nothing was opened or written.
type PortInUseError struct {
	Address string // host:port
	Purpose string // "Temporal" or "Temporal's Web UI"
	Err     error
}

func (e *PortInUseError) Error() string {
	return fmt.Sprintf("%s cannot listen on %s, another program does: stop that program, or move all ports with --port-offset 100", e.Purpose, e.Address)
}

func (e *PortInUseError) Unwrap() error { return e.Err }
