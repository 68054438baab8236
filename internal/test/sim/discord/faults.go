package discord

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"
)

// A FaultKind is how the platform misbehaves.
type FaultKind string

// The faults of a call. Connect meets DieBefore (nobody answers), BadGateway,
// Silent and Slow; Identify and Resume meet DieBefore, DieAfter (the session is
// there, the connection breaks) and InvalidSession.
const (
	TooMany    FaultKind = "429" // nothing was done; see Fault.After and Fault.Global
	Broken     FaultKind = "500" // nothing was done
	BadGateway FaultKind = "502" // in HTML, from whatever stands in front; nothing was done
	// BadGatewayAfter is a 502 although it was done. discordgo calls again after
	// any 502, with the same body.
	BadGatewayAfter FaultKind = "502 after"
	Forbidden       FaultKind = "403"        // code 50001, as if an admin had changed something just now
	DieBefore       FaultKind = "die before" // the connection breaks, nothing was done
	DieAfter        FaultKind = "die after"  // it was done, and the connection breaks
	Slow            FaultKind = "slow"       // it is done after Fault.For, or when Fault.Until is closed
	Silent          FaultKind = "silent"     // the gateway is connected to and says nothing
	InvalidSession  FaultKind = "invalid"    // the gateway knows no such session
)

// A Fault is met by one call.
type Fault struct {
	Kind   FaultKind
	After  time.Duration // of TooMany; default 1 s
	Global bool          // of TooMany: all routes
	For    time.Duration
	Until  <-chan struct{}
	// Met, if set, is called when DieBefore or DieAfter is met, before the connection
	// breaks, so the caller is still waiting.
	Met func()
}

// Order queues faults for a route: each is met by one of the next calls. It
// panics for a route that there is not, whose faults nobody would ever meet.
func (s *Server) Order(route Route, faults ...Fault) {
	known(route)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.faults[route] = append(s.faults[route], faults...)
}

// Cut lets every call of a route break until what it returns is called, which
// may be done more than once. Cut(Connect) makes the gateway unreachable; who is
// connected stays so: see Drop.
func (s *Server) Cut(route Route) (mend func()) {
	known(route)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cut[route]++
	mended := false
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if !mended {
			mended = true
			s.cut[route]--
		}
	}
}

func known(route Route) {
	if handlers[route] == nil && !slices.Contains([]Route{Connect, Identify, Resume, Download}, route) {
		panic(fmt.Sprintf("discord: there is no route %q", route))
	}
}

func (f Fault) met() {
	if f.Met != nil {
		f.Met()
	}
}

func (s *Server) takeFault(route Route) Fault {
	if s.cut[route] > 0 {
		return Fault{Kind: DieBefore}
	}
	if len(s.faults[route]) == 0 {
		return Fault{}
	}
	f := s.faults[route][0]
	s.faults[route] = s.faults[route][1:]
	return f
}

// meet answers a call by way of a fault.
func (s *Server) meet(w http.ResponseWriter, r *request, f Fault, do func() (any, error)) {
	switch f.Kind {
	case TooMany:
		after := f.After
		if after == 0 {
			after = time.Second
		}
		err := tooMany(w.Header(), after, f.Global)
		s.answered(r.call, reply(w, nil, err))
		return
	case Broken:
		s.answered(r.call, reply(w, nil, no(500, 0, "500: Internal Server Error")))
		return
	case Forbidden:
		s.answered(r.call, reply(w, nil, errAccess))
		return
	case BadGatewayAfter:
		do()
		fallthrough
	case BadGateway:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		io.WriteString(w, "<html><head><title>502 Bad Gateway</title></head></html>")
		s.answered(r.call, http.StatusBadGateway)
		return
	case DieBefore:
		f.met()
		panic(http.ErrAbortHandler)
	case DieAfter:
		do()
		f.met()
		panic(http.ErrAbortHandler)
	case Slow:
		if !s.wait(f, r.Context().Done()) {
			return
		}
	}
	result, err := do()
	s.answered(r.call, reply(w, result, err))
}

// wait holds a call that is slow; false if nobody waits for it any more.
func (s *Server) wait(f Fault, gone <-chan struct{}) bool {
	var timer <-chan time.Time
	if f.Until == nil {
		timer = time.After(f.For)
	}
	select {
	case <-timer:
	case <-f.Until:
	case <-gone:
		return false
	case <-s.closed:
		return false
	}
	return true
}
