package store

import (
	"sync"

	"errand"
)

// A Hub passes events on inside one process, by session key.
//
// Durable events (ID > 0) reach it after the transaction that wrote them; they
// are in the event log too. Passing events exist here only.
//
// A subscriber that does not keep up loses events. It is told so by one event
// of type [EventLag] and id 0, and finds what is durable of it by reading the
// log after the last id it has seen. Nothing ever waits for a subscriber.
//
// Durable events of one key may arrive here in another order than their ids
// (two transactions commit, then publish): a subscriber that needs order takes
// an event as the sign to read the log.
type Hub struct {
	mu   sync.RWMutex
	subs map[errand.SessionKey]map[*subscriber]struct{}
	all  map[*subscriber]struct{} // see Watch
	open map[errand.SessionKey]*inProgress
}

// EventLag tells a subscriber that it has lost events. It is never stored.
const EventLag errand.EventType = "lag"

// subscriberBuffer holds the deltas of some seconds; watcherBuffer what a busy
// installation does in some.
const (
	subscriberBuffer = 256
	watcherBuffer    = 8192
)

type subscriber struct {
	mu     sync.Mutex
	events chan errand.Event
	lagged bool
	closed bool
}

// NewHub makes a hub without subscribers.
func NewHub() *Hub {
	return &Hub{subs: map[errand.SessionKey]map[*subscriber]struct{}{}, all: map[*subscriber]struct{}{}, open: map[errand.SessionKey]*inProgress{}}
}

// Subscribe returns the events of key from now on, and what ends that. After
// cancel, which may be called more than once, the channel is closed.
func (h *Hub) Subscribe(key errand.SessionKey) (events <-chan errand.Event, cancel func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	sub := h.subscribe(key)
	return sub.events, func() { h.drop(key, sub) }
}

func (h *Hub) subscribe(key errand.SessionKey) *subscriber {
	// One place more than the buffer is kept for the lag marker.
	sub := &subscriber{events: make(chan errand.Event, subscriberBuffer+1)}
	if h.subs[key] == nil {
		h.subs[key] = map[*subscriber]struct{}{}
	}
	h.subs[key][sub] = struct{}{}
	return sub
}

func (h *Hub) drop(key errand.SessionKey, sub *subscriber) {
	h.mu.Lock()
	delete(h.subs[key], sub)
	if len(h.subs[key]) == 0 {
		delete(h.subs, key)
	}
	h.mu.Unlock()
	sub.close()
}

// Watch is Subscribe for all keys at once, without the deltas: the durable events
// of this process, and the beginning of each step.
func (h *Hub) Watch() (events <-chan errand.Event, cancel func()) {
	sub := &subscriber{events: make(chan errand.Event, watcherBuffer+1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.all[sub] = struct{}{}
	return sub.events, func() {
		h.mu.Lock()
		delete(h.all, sub)
		h.mu.Unlock()
		sub.close()
	}
}

// Publish hands e to every subscriber of its key. It never blocks.
func (h *Hub) Publish(e errand.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.note(e)
	if e.ID != 0 || e.Type == errand.EventStep {
		for sub := range h.all {
			sub.offer(e)
		}
	}
	for sub := range h.subs[e.Key] {
		sub.offer(e)
	}
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
	// Passing events fill half of the buffer at most, so that they are the
	// first to be lost. One place is for the sign that some were.
	size := cap(s.events) - 1
	room := size - len(s.events)
	if e.ID == 0 {
		room -= size / 2
	}
	switch {
	case room > 0:
		s.lagged = false
		s.events <- e
	case e.ID != 0 && !s.lagged:
		s.lagged = true
		s.events <- errand.Event{Type: EventLag, Key: e.Key}
	}
}

// Watchers returns how many watch all keys.
func (h *Hub) Watchers() int {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return len(h.all)
}
