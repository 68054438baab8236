package events

import (
	"sync"
	"sync/atomic"

	"errand"
)

// subscriberBuffer holds the deltas of some seconds; watcherBuffer what a busy
// installation does in some.
const (
	subscriberBuffer = 256
	watcherBuffer    = 8192
)

// A subscriber is offered events, and takes them when it does.
type subscriber struct {
	mu     sync.Mutex
	events chan errand.Event
	lagged bool
	closed bool
	lost   *atomic.Uint64 // events that were not taken, of all subscribers of the bus
}

func newSubscriber(buffer int, lost *atomic.Uint64) *subscriber {
	// One place more than the buffer is kept for the sign that events were lost.
	return &subscriber{events: make(chan errand.Event, buffer+1), lost: lost}
}

func (s *subscriber) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.events)
	}
}

func (s *subscriber) offer(e errand.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	// Passing events fill half of the buffer at most, so that they are the first to be
	// lost. One place is for the sign that some were.
	size := cap(s.events) - 1
	left := size - len(s.events)
	if !isDurable(e) {
		left -= size / 2
	}
	switch {
	case left > 0:
		s.lagged = false
		s.events <- e
	case isDurable(e):
		s.lost.Add(1)
		s.sign(e.Key)
	default:
		s.lost.Add(1)
	}
}

// lag tells the subscriber that it may have lost events.
func (s *subscriber) lag(key errand.SessionKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.sign(key)
	}
}

// sign leaves the sign that events were lost, unless it is the last that waits already.
func (s *subscriber) sign(key errand.SessionKey) {
	if !s.lagged || len(s.events) == 0 {
		s.lagged = true
		s.events <- errand.Event{Type: Lag, Key: key}
	}
}
