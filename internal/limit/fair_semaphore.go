package limit

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// A Caller is the person that a place is acquired for. Callers with the same Person share their
// places.
type Caller struct {
	Person     string
	Guest      bool
	Background bool // no person waits for the result
}

// agedAfter is how long background work waits before it takes turns with people.
const agedAfter = 10 * time.Second

// A FairSemaphore shares a number of places between callers. It is safe for concurrent use.
//
// The last quarter of the places is reserved for people who hold none. So one person holds at most
// three quarters, and a guest at most half, even if no other person waits; each may hold at least
// one. Background work always leaves one of its person's places for that person's turn.
//
// People come before background work. Background work that has waited for agedAfter alternates with
// waiting people. If its person holds no place, it may then take a reserved one, so that it always
// makes progress. Within both groups people take turns, and the calls of one person are served in
// the order of arrival.
type FairSemaphore struct {
	mu         sync.Mutex
	total      int // places of all processes; negative: no limit
	places     int // of this process
	reserved   int // of places
	inUse      int
	background int // of inUse
	held       map[string]holding
	people     line
	tasks      line
	tookTurn   bool // background work went before a waiting person: the next place goes to a person
}

type holding struct{ turns, tasks int }

// NewFairSemaphore returns a semaphore with the given number of places; negative: no limit.
func NewFairSemaphore(places int) *FairSemaphore {
	s := &FairSemaphore{held: map[string]holding{}}
	s.Resize(places)
	return s
}

// Resize sets the number of places, for one process.
func (s *FairSemaphore) Resize(places int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total = places
	s.setPlaces(1)
}

// Divide gives this process its share of the places among the given number of processes. It keeps
// at least two places, one of them reserved, unless the total is one. Callers that hold more keep
// them.
func (s *FairSemaphore) Divide(processes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setPlaces(processes)
}

// s.mu is held.
func (s *FairSemaphore) setPlaces(processes int) {
	switch {
	case s.total < 0:
		s.places, s.reserved = math.MaxInt, 0
	case s.total == 1:
		s.places, s.reserved = 1, 0
	default:
		quarter := (s.total + 3) / 4
		s.reserved = max(1, quarter/processes)
		s.places = max(1, (s.total-quarter)/processes) + s.reserved
	}
	s.admit()
}

// Acquire waits for a place until ctx ends. If no place is free, it first calls wait, unless that
// is nil. release returns the place; a second call does nothing.
func (s *FairSemaphore) Acquire(ctx context.Context, c Caller, wait func()) (release func(), err error) {
	w := &waiter{caller: c, since: time.Now(), admitted: make(chan struct{})}
	s.mu.Lock()
	l := s.lineOf(c)
	*l = append(*l, w)
	s.admit()
	s.mu.Unlock()
	defer func() {
		if release == nil { // also if wait panics
			s.leave(w)
		}
	}()
	select {
	case <-w.admitted:
		return sync.OnceFunc(func() { s.release(c) }), nil
	default:
	}
	if c.Background {
		defer time.AfterFunc(agedAfter, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.admit()
		}).Stop()
	}
	if wait != nil {
		wait()
	}
	select {
	case <-w.admitted:
		return sync.OnceFunc(func() { s.release(c) }), nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *FairSemaphore) leave(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.lineOf(w.caller).remove(w) {
		s.count(w.caller, -1)
		s.admit()
	}
}

// Waiting returns how many calls of a person are waiting, without background work.
func (s *FairSemaphore) Waiting(person string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.people {
		if w.caller.Person == person {
			n++
		}
	}
	return n
}

func (s *FairSemaphore) lineOf(c Caller) *line {
	if c.Background {
		return &s.tasks
	}
	return &s.people
}

func (s *FairSemaphore) release(c Caller) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count(c, -1)
	s.admit()
}

func (s *FairSemaphore) count(c Caller, n int) {
	h := s.held[c.Person]
	s.inUse += n
	if c.Background {
		s.background += n
		h.tasks += n
	} else {
		h.turns += n
	}
	if s.held[c.Person] = h; h == (holding{}) {
		delete(s.held, c.Person)
	}
}

// s.mu is held.
func (s *FairSemaphore) admit() {
	for {
		person, task := s.people.first(s.mayEnter), s.tasks.first(s.mayEnter)
		next, from := person, &s.people
		if task != nil && (person == nil || !s.tookTurn && slices.ContainsFunc(s.tasks, (*waiter).hasAged)) {
			next, from = task, &s.tasks
		}
		if next == nil {
			return
		}
		s.tookTurn = next == task && person != nil
		from.remove(next)
		from.moveBack(next.caller.Person)
		s.count(next.caller, 1)
		close(next.admitted)
	}
}

func (s *FairSemaphore) mayEnter(w *waiter) bool {
	free, shared := s.places-s.inUse, s.places-s.reserved
	most := shared
	if w.caller.Guest {
		most = s.places / 2
	}
	h := s.held[w.caller.Person]
	switch {
	case free <= 0:
		return false
	case !w.caller.Background:
		return h.turns == 0 || free > s.reserved && h.turns+h.tasks < most
	case h == (holding{}):
		return s.background < shared && (free > s.reserved || w.hasAged())
	}
	return free > s.reserved && h.turns+h.tasks < most && h.tasks < most-1
}

type waiter struct {
	caller   Caller
	since    time.Time
	admitted chan struct{} // closed when it has got a place
}

func (w *waiter) hasAged() bool { return time.Since(w.since) >= agedAfter }

// A line has the calls of the person whose turn is next first.
type line []*waiter

func (l line) first(may func(*waiter) bool) *waiter {
	if i := slices.IndexFunc(l, may); i >= 0 {
		return l[i]
	}
	return nil
}

func (l *line) remove(w *waiter) bool {
	i := slices.Index(*l, w)
	if i >= 0 {
		*l = slices.Delete(*l, i, i+1)
	}
	return i >= 0
}

func (l line) moveBack(person string) {
	slices.SortStableFunc(l, func(a, b *waiter) int {
		switch isOwn := a.caller.Person == person; {
		case isOwn == (b.caller.Person == person):
			return 0
		case isOwn:
			return 1
		}
		return -1
	})
}
