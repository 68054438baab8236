package channels

import (
	"log/slog"
	"sync"
	"time"

	"errand/internal/core"
)

// A State is the state of a connection. The alias saves the package name.
type State = core.ConnectionState

// The states.
const (
	Connecting = core.Connecting
	Connected  = core.Connected
	Degraded   = core.Degraded
	LoggedOut  = core.LoggedOut
	Replaced   = core.Replaced
)

// A Status is the state of a connection as the operator sees it.
type Status struct {
	State  State
	Detail string // what is wrong, or the connected bot or number
	Advice string // what the operator can do; empty: nothing
	// Link is the text of the QR code that links the account; empty: no linking is needed. It is
	// a secret while it is valid.
	Link  string
	Since time.Time
	// Handles are the ids, numbers and names that a message uses to mention the account. Empty:
	// not known yet, or unchanged.
	Handles []string
}

// A StatusReporter reports the status of one connection. It is safe for concurrent use.
type StatusReporter struct {
	log     *slog.Logger
	changed func(Status)

	mu     sync.Mutex
	status Status
}

// NewStatusReporter returns the reporter of a connection in state Connecting. changed may be nil.
// One goroutine at a time calls it with each new status. It must not block for long, and must not
// call the reporter.
func NewStatusReporter(log *slog.Logger, changed func(Status)) *StatusReporter {
	if changed == nil {
		changed = func(Status) {}
	}
	return &StatusReporter{log: log, changed: changed, status: Status{State: Connecting, Since: time.Now()}}
}

// Status returns the current status.
func (b *StatusReporter) Status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status
}

// Set records a status. It calls changed if the status differs from the last one, and logs it if
// the state or the advice differs: a lasting failure is logged once. It fills in Since.
func (b *StatusReporter) Set(s Status) {
	b.mu.Lock()
	defer b.mu.Unlock()
	old := b.status
	s.Since = time.Now()
	same := old.State == s.State && old.Advice == s.Advice
	if same {
		s.Since = old.Since
	}
	b.status = s
	if same && old.Detail == s.Detail && old.Link == s.Link {
		return
	}
	switch {
	case same: // another detail: report it, but do not log it
	case s.State == Connected && old.State == Connecting:
		b.log.Info("connected", "detail", s.Detail)
	case s.State == Connected:
		b.log.Info("connected again", "detail", s.Detail, "after", s.Since.Sub(old.Since).Round(time.Second).String())
	case s.State != Connecting:
		b.log.Warn("not connected", "state", string(s.State), "detail", s.Detail, "advice", s.Advice)
	}
	b.changed(s)
}
