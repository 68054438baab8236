package mcpclient

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/store"
	"errand/internal/tools"
)

// A State is the connection state of a server.
type State string

// The states.
const (
	Connecting State = "connecting" // starting, or connecting for the first time
	Connected  State = "connected"
	Down       State = "down"      // failed; errand retries
	Elsewhere  State = "elsewhere" // another worker runs it
)

// A Status describes a server.
type Status struct {
	Name        string
	Wire        string // "stdio" or "http"
	State       State
	RemoteState State  // if Elsewhere: its state at the worker that runs it; empty: unknown
	Worker      string // the worker that runs it or is connected to it; empty: unknown
	Single      bool   // only one worker of the installation runs it
	Reason      string // why it is down, for the operator
	Since       time.Time
	Says        string       // the name and version that it reports
	Protocol    string       // the version of MCP in use
	Tools       []ListedTool // as agents see them
	LeftOut     []string     // tools that are not offered, with the reason
	Unmatched   []string     // names and patterns in errand.yaml that match none of its tools
	Blocked     string       // why its tools may not run; empty: they may
	Failures    []Failure

	timeout time.Duration // for one call
}

// A Failure is a call without a result. The reason is in errand's own words, because the
// server's may quote people.
type Failure struct {
	At     time.Time `json:"at"`
	Tool   string    `json:"tool"`
	Reason string    `json:"reason"`
	Worker string    `json:"worker"` // the worker that made the call
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

// about is the part of a Status that the store keeps as JSON, for other workers.
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

// A ListedTool is a tool that agents can be given.
type ListedTool struct {
	Name        string // "github.create_issue"
	Effect      tools.Effect
	Role        core.Role         // the minimum role of the person
	Approval    core.ApprovalRule // configured for the server; empty: unknown, or never
	Description string            // the server's own words
}
