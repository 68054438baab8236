package events

import (
	"sync"
	"sync/atomic"

	"errand/internal/core"
)

// Buffer sizes, in events. A conversation sends its deltas for some seconds, a task sends a few
// changes, and a watcher sees the whole installation.
const (
	subscriberBuffer = 256
	taskBuffer       = 16
	watcherBuffer    = 8192
)

type subscriber struct {
	mu     sync.Mutex
	events chan core.Event
	lagged bool
	closed bool
	lost   *atomic.Uint64 // counts the events that all subscribers of the bus have missed
}

func newSubscriber(buffer int, lost *atomic.Uint64) *subscriber {
	return &subscriber{events: make(chan core.Event, buffer+1), lost: lost} // the extra place is for the Lag event
}

func (s *subscriber) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.closed = true
		close(s.events)
	}
}

func (s *subscriber) offer(e core.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	// Passing events fill at most half of the buffer, so that they are lost first.
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

func (s *subscriber) lag(key core.SessionKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.sign(key)
	}
}

func (s *subscriber) sign(key core.SessionKey) {
	if !s.lagged || len(s.events) == 0 {
		s.lagged = true
		s.events <- core.Event{Type: Lag, Key: key}
	}
}
