package limit

import (
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// A Caller says who a place is for. Callers with the same Person share their places.
type Caller struct {
	Person     string
	Guest      bool
	Background bool // no person waits for the result
}

// agedAfter is how long background work waits before it takes turns with people.
const agedAfter = 10 * time.Second

// A FairSemaphore shares a number of places between callers. It is safe for concurrent use.
//
// The last quarter of the places is reserved for people who hold none. So one person holds
// at most three quarters, and a guest at most half, also while no other person waits; each
// may hold one. Background work leaves one of its person's places for that person's turn.
//
// People go before background work. Background work that has waited for agedAfter takes
// turns with the people who wait, and if its person holds no place, it may take a reserved
// one: so it never stands still. Within both groups people take turns, and the calls of one
// person go in the order of arrival.
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
	tookTurn   bool // background work went before a person who waited: the next place is a person's
}

// A holding is the number of places that one person holds.
type holding struct{ turns, tasks int }

// NewFairSemaphore returns one with so many places; negative: any number.
func NewFairSemaphore(places int) *FairSemaphore {
	s := &FairSemaphore{held: map[string]holding{}}
	s.Resize(places)
	return s
}

// Resize sets the number of places of a semaphore that is not divided.
func (s *FairSemaphore) Resize(places int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total = places
	s.setPlaces(1)
}

// Divide gives this process its part of the places: one of so many. It has a reserved place
// and another one at least, unless there is only one in all. Callers that hold more keep it.
func (s *FairSemaphore) Divide(processes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.setPlaces(processes)
}

// setPlaces sets the part of this process as Divide says. s.mu is held.
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

// Acquire waits for a place until ctx ends. It calls wait, unless that is nil, if there is
// none yet. release gives the place back; a second call does nothing.
func (s *FairSemaphore) Acquire(ctx context.Context, c Caller, wait func()) (release func(), err error) {
	w := &waiter{caller: c, since: time.Now(), admitted: make(chan struct{})}
	s.mu.Lock()
	s.lineOf(c).add(w)
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

// leave removes a waiter, or gives its place back if it was admitted at the same moment.
func (s *FairSemaphore) leave(w *waiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.lineOf(w.caller).remove(w) {
		s.count(w.caller, -1)
		s.admit()
	}
}

// Waiting returns how many of a person's calls wait that are not background work.
func (s *FairSemaphore) Waiting(person string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := s.people.find(person); i >= 0 {
		return len(s.people[i])
	}
	return 0
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

// admit gives free places to callers that wait. s.mu is held.
func (s *FairSemaphore) admit() {
	for {
		person, task := s.people.first(s.mayEnter), s.tasks.first(s.mayEnter)
		next, from := person, &s.people
		if task != nil && (person == nil || !s.tookTurn && s.tasks.hasAged()) {
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

// mayEnter reports whether the limits let a caller take a place now.
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

// A waiter is a call that waits for a place.
type waiter struct {
	caller   Caller
	since    time.Time
	admitted chan struct{} // closed when it has a place
}

func (w *waiter) hasAged() bool { return time.Since(w.since) >= agedAfter }

// A line has the calls that wait: for each person one list, none empty. The person whose
// turn is next comes first.
type line [][]*waiter

func (l *line) add(w *waiter) {
	if i := l.find(w.caller.Person); i >= 0 {
		(*l)[i] = append((*l)[i], w)
		return
	}
	*l = append(*l, []*waiter{w})
}

func (l *line) find(person string) int {
	return slices.IndexFunc(*l, func(list []*waiter) bool { return list[0].caller.Person == person })
}

// first returns the next call that may enter, or nil.
func (l *line) first(may func(*waiter) bool) *waiter {
	for _, list := range *l {
		if may(list[0]) {
			return list[0]
		}
	}
	return nil
}

func (l *line) remove(w *waiter) bool {
	i := l.find(w.caller.Person)
	if i < 0 {
		return false
	}
	j := slices.Index((*l)[i], w)
	if j < 0 {
		return false
	}
	if (*l)[i] = slices.Delete((*l)[i], j, j+1); len((*l)[i]) == 0 {
		*l = slices.Delete(*l, i, i+1)
	}
	return true
}

// moveBack puts a person behind all others who wait.
func (l *line) moveBack(person string) {
	if i := l.find(person); i >= 0 {
		list := (*l)[i]
		*l = append(slices.Delete(*l, i, i+1), list)
	}
}

func (l *line) hasAged() bool {
	return slices.ContainsFunc(*l, func(list []*waiter) bool { return list[0].hasAged() })
}
