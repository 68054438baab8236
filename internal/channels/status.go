package channels

import (
	"log/slog"
	"sync"
	"time"

	"errand"
)

// A State is how a connection is, by a name that is short where connections are.
type State = errand.ConnectionState

// The states.
const (
	Connecting = errand.Connecting
	Connected  = errand.Connected
	Degraded   = errand.Degraded
	LoggedOut  = errand.LoggedOut
	Replaced   = errand.Replaced
)

// A Status is the state of a connection, for whoever runs it.
type Status struct {
	State  State
	Detail string // what is wrong, or as whom it is connected
	Advice string // what to do; empty: nothing
	// Link is what a phone has to scan for the account to be linked; empty: it
	// need not. It is a secret for as long as it is valid.
	Link  string
	Since time.Time
	// Handles are by what a message on the platform mentions the account: ids, numbers,
	// names. Empty: it is not known yet, or does not change.
	Handles []string
}

// A StatusReporter reports the status of one connection. It is safe for concurrent use.
type StatusReporter struct {
	log     *slog.Logger
	changed func(Status)

	mu     sync.Mutex
	status Status
}

// NewStatusReporter returns that of a connection that is connecting. changed, which may
// be nil, is called with each new status, by one goroutine at a time: it must not
// block for long, and not ask the reporter.
func NewStatusReporter(log *slog.Logger, changed func(Status)) *StatusReporter {
	if changed == nil {
		changed = func(Status) {}
	}
	return &StatusReporter{log: log, changed: changed, status: Status{State: Connecting, Since: time.Now()}}
}

// Status returns how the connection is.
func (b *StatusReporter) Status() Status {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.status
}

// Set notes a status, and says it if it is another than before: however long
// something does not work, it is said once. Since is filled in.
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
	case same: // it fails in another way: seen, not said
	case s.State == Connected && old.State == Connecting:
		b.log.Info("connected", "detail", s.Detail)
	case s.State == Connected:
		b.log.Info("connected again", "detail", s.Detail, "after", s.Since.Sub(old.Since).Round(time.Second).String())
	case s.State != Connecting:
		b.log.Warn("not connected", "state", string(s.State), "detail", s.Detail, "advice", s.Advice)
	}
	b.changed(s)
}
