package telegram

import (
	"slices"
	"strings"
	"time"
)

// A FaultKind is how the platform misbehaves.
type FaultKind string

// The faults of a call.
const (
	TooMany    FaultKind = "429" // with parameters.retry_after
	Broken     FaultKind = "500" // nothing was done
	BadGateway FaultKind = "502" // in HTML, from whatever stands in front
	Refuse     FaultKind = "403" // the person has blocked the bot
	// BadEntities is 400: what a new rule of Telegram's would be answered with.
	BadEntities FaultKind = "400"
	DieBefore   FaultKind = "die before" // the connection breaks, nothing was done
	DieAfter    FaultKind = "die after"  // it was done, and the connection breaks
	Slow        FaultKind = "slow"       // it is done after Fault.For
)

// A Fault is met by one call.
type Fault struct {
	Kind       FaultKind
	RetryAfter int // seconds, of TooMany; default 1
	For        time.Duration
	// Met, if set, is called when DieBefore or DieAfter is met, before the connection
	// breaks, so the caller is still waiting.
	Met func()
}

// Order queues faults for a method: each is met by one of the next calls.
func (s *Server) Order(method string, faults ...Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := strings.ToLower(method)
	s.faults[name] = append(s.faults[name], faults...)
}

func (f Fault) met() {
	if f.Met != nil {
		f.Met()
	}
}

func (s *Server) takeFault(method string) Fault {
	name := strings.ToLower(method)
	if len(s.faults[name]) == 0 {
		return Fault{}
	}
	f := s.faults[name][0]
	s.faults[name] = s.faults[name][1:]
	return f
}

// putBack has the next call of method meet a fault that this one could not.
func (s *Server) putBack(method string, f Fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := strings.ToLower(method)
	s.faults[name] = append([]Fault{f}, s.faults[name]...)
}

// Repeat delivers the updates again that were confirmed last, before any other:
// a confirmation that got lost on the platform's side.
func (s *Server) Repeat(b *Bot, n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n = min(n, len(b.confirmed))
	b.queue = append(slices.Clone(b.confirmed[len(b.confirmed)-n:]), b.queue...)
	s.happened()
}

// Hold keeps back what is written from now on; what it returns lets it go.
func (s *Server) Hold(b *Bot) (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b.held = true
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		b.held = false
		s.happened()
	}
}

// Shuffle delivers what is waiting the last first.
func (s *Server) Shuffle(b *Bot) {
	s.mu.Lock()
	defer s.mu.Unlock()
	slices.Reverse(b.queue)
}
