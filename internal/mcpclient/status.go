package mcpclient

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"errand"
	"errand/internal/store"
	"errand/internal/tools"
)

// A State says how a server is.
type State string

// The states.
const (
	Connecting State = "connecting" // it starts, or is called for the first time
	Connected  State = "connected"
	Down       State = "down"      // it failed, and is tried again
	Elsewhere  State = "elsewhere" // another worker runs it
)

// A Status is what is known of a server.
type Status struct {
	Name        string
	Wire        string // "stdio" or "http"
	State       State
	RemoteState State  // where it is Elsewhere: its state at the worker that runs it; empty: that is not known
	Worker      string // that runs it, or is connected to it; empty: that is not known
	Single      bool   // one worker of the installation runs it
	Reason      string // why it is down, for the operator
	Since       time.Time
	Says        string       // name and version that it gives itself
	Protocol    string       // the version of MCP that is spoken
	Tools       []ListedTool // as agents see them
	LeftOut     []string     // which of its tools are not offered, and why
	Unmatched   []string     // names and patterns in errand.yaml that match none of its tools
	Blocked     string       // why none of its tools runs; empty: they run
	Failures    []Failure

	timeout time.Duration // of one call
}

// A Failure is a call that brought no result. It has errand's words only: those of the
// server may repeat what somebody wrote.
type Failure struct {
	At     time.Time `json:"at"`
	Tool   string    `json:"tool"`
	Reason string    `json:"reason"`
	Worker string    `json:"worker"` // that called
}

const mostFailures = 10

func mergeFailures(a, b []Failure) []Failure {
	all := slices.Concat(a, b)
	slices.SortStableFunc(all, func(a, b Failure) int {
		return cmp.Or(b.At.Compare(a.At), strings.Compare(a.Worker, b.Worker), strings.Compare(a.Tool, b.Tool))
	})
	all = slices.CompactFunc(all, func(a, b Failure) bool { return a.At.Equal(b.At) && a.Worker == b.Worker && a.Tool == b.Tool })
	return all[:min(len(all), mostFailures)]
}

// about is what other workers show of a server beside its tools. Its JSON is kept in the
// store.
type about struct {
	Wire     string        `json:"wire"`
	Single   bool          `json:"single,omitempty"`
	Timeout  time.Duration `json:"timeout,omitempty"`
	Since    time.Time     `json:"since"`
	Says     string        `json:"says,omitempty"`
	Protocol string        `json:"protocol,omitempty"`
	LeftOut  []string      `json:"left_out,omitempty"`
	misfit
	Failures []Failure `json:"failures,omitempty"`
}

func (s Status) about() about {
	return about{Wire: s.Wire, Single: s.Single, Timeout: s.timeout, Since: s.Since, Says: s.Says, Protocol: s.Protocol, LeftOut: s.LeftOut,
		misfit: misfit{s.Unmatched, s.Blocked}, Failures: s.Failures}
}

func remoteStatus(row store.MCPServer, entries []entry) (Status, error) {
	var a about
	if err := json.Unmarshal(row.About, &a); err != nil && len(row.About) > 0 {
		return Status{}, fmt.Errorf("what is noted of the MCP server %s: %w", row.Name, err)
	}
	s := Status{Name: row.Name, Wire: a.Wire, State: Elsewhere, RemoteState: State(row.State), Worker: row.Worker, Single: a.Single,
		Reason: row.Reason, Since: a.Since, Says: a.Says, Protocol: a.Protocol, LeftOut: a.LeftOut, Unmatched: a.Unmatched, Blocked: a.Blocked, Tools: listed(entries, ""), Failures: a.Failures, timeout: a.Timeout}
	if !row.Alive {
		s.RemoteState, s.Reason = Down, "its worker is gone"
		if !row.AliveUntil.IsZero() {
			s.Since = row.AliveUntil
		}
	}
	return s, nil
}

// A ListedTool is one that agents may be given.
type ListedTool struct {
	Name        string // "github.create_issue"
	Effect      tools.Effect
	Role        errand.Role         // of the person for whom it runs, at least
	Approval    errand.ApprovalRule // of the server; empty: that is not known, or never
	Description string              // the server's own words
}
