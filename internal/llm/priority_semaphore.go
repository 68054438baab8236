package llm

import (
	"cmp"
	"context"
	"math"
	"sync"
	"time"
)

// agedAfter is how long background work waits before it takes turns with people.
const agedAfter = 10 * time.Second

// A prioritySemaphore bounds the calls in flight to one server.
//
// People go first, and a quarter of the places is theirs alone: however much
// background work there is, a person's call finds a place. Background work that
// has waited for agedAfter takes turns with the people who wait, so that it
// never stands still. Within each of the two, those for whom a call is made take
// turns, and the calls for one of them go in the order of arrival. A semaphore with one
// place has none to keep free: there a person waits for the call that is under way.
//
// The bound is the installation's: each worker has its part of the places, and of those
// for people only. It has one place for background work at least, and where the bound is
// more than one, another for people: so a bound that is less than twice the number of
// workers is exceeded, and a person never waits for background work elsewhere.
//
// It is safe for concurrent use.
type prioritySemaphore struct {
	bound int // as it was set; 0: not at all

	mu         sync.Mutex
	places     int
	share      int // of places, for people only
	inFlight   int
	background int // of inFlight
	people     waiters
	tasks      waiters // background work
	tookTurn   bool    // background work was let in before somebody who waited; the next place is a person's
}

func newPrioritySemaphore() *prioritySemaphore {
	g := &prioritySemaphore{}
	g.limit(0)
	return g
}

// limit sets the bound of a semaphore that nobody uses yet: n places at most, and no
// more than it was told before. 0 says nothing, negative is no bound.
func (g *prioritySemaphore) limit(n int) {
	g.bound = stricter(g.bound, n)
	g.divide(1)
}

// divide gives this worker its part of the places, one of so many. What is in flight
// beyond that goes on.
func (g *prioritySemaphore) divide(workers int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	whole, share := cmp.Or(g.bound, DefaultConcurrency), 0
	switch {
	case whole < 0:
		g.places, g.share = math.MaxInt, 0
		return
	case whole > 1:
		share = max(1, whole/4)
		g.share = max(1, share/workers)
	default:
		g.share = 0
	}
	g.places = max(1, (whole-share)/workers) + g.share
	g.admit()
}

// acquire waits for a place, which release gives back. key says for whom.
func (g *prioritySemaphore) acquire(ctx context.Context, background bool, key string) (release func(), err error) {
	w := &waiter{key: key, since: time.Now(), admitted: make(chan struct{})}
	g.mu.Lock()
	g.queue(background).add(w)
	g.admit()
	g.mu.Unlock()
	release = sync.OnceFunc(func() { g.release(background) })
	select {
	case <-w.admitted:
		return release, nil
	case <-ctx.Done():
	}
	g.mu.Lock()
	waited := g.queue(background).remove(w)
	g.mu.Unlock()
	if !waited {
		release() // it was admitted at the same moment
	}
	return nil, context.Cause(ctx)
}

func (g *prioritySemaphore) queue(background bool) *waiters {
	if background {
		return &g.tasks
	}
	return &g.people
}

func (g *prioritySemaphore) release(background bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inFlight--
	if background {
		g.background--
	}
	g.admit()
}

// admit gives the free places to those who wait. g.mu is held.
func (g *prioritySemaphore) admit() {
	for g.inFlight < g.places {
		switch {
		case g.tasksNext():
			g.tookTurn = g.people.count > 0
			g.background++
			close(g.tasks.next().admitted)
		case g.people.count > 0:
			g.tookTurn = false
			close(g.people.next().admitted)
		default:
			return
		}
		g.inFlight++
	}
}

// tasksNext reports whether the next free place is for background work.
func (g *prioritySemaphore) tasksNext() bool {
	switch {
	case g.tasks.count == 0 || g.background >= g.places-g.share:
		return false
	case g.people.count == 0:
		return true
	}
	return !g.tookTurn && time.Since(g.tasks.oldest()) >= agedAfter
}

// waiting is how many calls of its kind have to leave or to be admitted before
// one that came now, at most; 0: it would be admitted at once.
func (g *prioritySemaphore) waiting(background bool) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !background && g.inFlight < g.places:
		return 0
	case !background:
		return g.people.count + 1
	case g.inFlight < g.places && g.background < g.places-g.share && g.tasks.count == 0:
		return 0
	}
	return g.tasks.count + 1
}
