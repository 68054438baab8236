package events

import (
	"sync"
	"sync/atomic"

	"errand"
)

// Events that wait for one subscriber. A conversation sends its deltas for some seconds, a task
// sends a few signs that it changed, and a watcher sees the whole installation.
const (
	subscriberBuffer = 256
	taskBuffer       = 16
	watcherBuffer    = 8192
)

// A subscriber has the events that it has not received yet in its channel.
type subscriber struct {
	mu     sync.Mutex
	events chan errand.Event
	lagged bool
	closed bool
	lost   *atomic.Uint64 // counts the events that all subscribers of the bus have missed
}

func newSubscriber(buffer int, lost *atomic.Uint64) *subscriber {
	return &subscriber{events: make(chan errand.Event, buffer+1), lost: lost} // the last place is for the sign
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
	// Passing events fill half of the buffer at most, so they are the first to be lost.
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

func (s *subscriber) lag(key errand.SessionKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.sign(key)
	}
}

// sign adds the sign that events were lost, unless it is already the last event in the channel.
func (s *subscriber) sign(key errand.SessionKey) {
	if !s.lagged || len(s.events) == 0 {
		s.lagged = true
		s.events <- errand.Event{Type: Lag, Key: key}
	}
}
