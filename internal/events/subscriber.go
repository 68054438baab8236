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

// mostReady is how many events are in a subscriber's channel at once: most take each
// event as it comes, and a thousand who wait are not to hold room for what never comes.
const mostReady = 4

// A subscriber is offered events, and takes them when it does.
type subscriber struct {
	events chan errand.Event

	mu      sync.Mutex
	size    int            // how many events wait at most, but for the sign that some were lost
	behind  []errand.Event // what waits behind those in the channel
	pumping bool           // somebody moves them there
	lagged  bool
	closed  bool
	done    chan struct{}  // closed with it
	lost    *atomic.Uint64 // events that were not taken, of all subscribers of the bus
}

func newSubscriber(buffer int, lost *atomic.Uint64) *subscriber {
	return &subscriber{events: make(chan errand.Event, min(buffer, mostReady)), size: buffer, done: make(chan struct{}), lost: lost}
}

// close ends the channel. What is behind those in it is not taken any more.
func (s *subscriber) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	close(s.done)
	if !s.pumping { // else the pump does when it is through
		close(s.events)
	}
}

// waiting is how many events wait to be taken. The caller holds the lock.
func (s *subscriber) waiting() int { return len(s.events) + len(s.behind) }

// put has an event wait. The caller holds the lock.
func (s *subscriber) put(e errand.Event) {
	if !s.pumping && len(s.events) < cap(s.events) {
		s.events <- e
		return
	}
	s.behind = append(s.behind, e)
	if !s.pumping {
		s.pumping = true
		go s.pump()
	}
}

// pump moves events into the channel until none is behind it.
func (s *subscriber) pump() {
	for {
		s.mu.Lock()
		if s.closed || len(s.behind) == 0 {
			s.pumping, s.behind = false, nil
			if s.closed {
				close(s.events)
			}
			s.mu.Unlock()
			return
		}
		e := s.behind[0]
		s.mu.Unlock()
		select {
		case s.events <- e:
		case <-s.done:
		}
		s.mu.Lock()
		s.behind = s.behind[1:]
		s.mu.Unlock()
	}
}

func (s *subscriber) offer(e errand.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	// Passing events fill half of the buffer at most, so that they are the first to be
	// lost.
	left := s.size - s.waiting()
	if !isDurable(e) {
		left -= s.size / 2
	}
	switch {
	case left > 0:
		s.lagged = false
		s.put(e)
	case isDurable(e):
		s.lost.Add(1)
		s.sign(e.Key)
	default:
		s.lost.Add(1)
	}
}

func (s *subscriber) lag(key errand.SessionKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.sign(key)
	}
}

// sign leaves the sign that events were lost, unless it is the last that waits already.
func (s *subscriber) sign(key errand.SessionKey) {
	if !s.lagged || s.waiting() == 0 {
		s.lagged = true
		s.put(errand.Event{Type: Lag, Key: key})
	}
}
