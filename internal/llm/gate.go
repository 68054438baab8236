package llm

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"
	"time"
)

// agedAfter is how long background work waits before it takes turns with people.
const agedAfter = 10 * time.Second

// A gate bounds the calls in flight to one server.
//
// People go first, and a quarter of the places is theirs alone: however much
// background work there is, a person's call finds a place. Background work that
// has waited for agedAfter takes turns with the people who wait, so that it
// never stands still. Within each of the two the order is that of arrival. A
// gate with one place has none to keep free: there a person waits for the call
// that is under way.
//
// A gate is safe for concurrent use.
type gate struct {
	bound  int // as it was set; 0: not at all
	places int
	share  int // of places, for people only

	mu         sync.Mutex
	inFlight   int
	background int // of inFlight
	people     []*waiter
	tasks      []*waiter // background work
	tookTurn   bool      // background work was let in before somebody who waited; the next place is a person's
}

// A waiter is a call that waits for a place.
type waiter struct {
	background bool
	since      time.Time
	admitted   chan struct{} // closed when it has a place
}

func newGate() *gate {
	g := &gate{}
	g.limit(0)
	return g
}

// limit sets the bound of a gate that nobody uses yet: n places at most, and no
// more than it was told before. 0 says nothing, negative is no bound.
func (g *gate) limit(n int) {
	g.bound = stricter(g.bound, n)
	g.places = cmp.Or(g.bound, DefaultConcurrency)
	g.share = 0
	switch {
	case g.places < 0:
		g.places = math.MaxInt
	case g.places > 1:
		g.share = max(1, g.places/4)
	}
}

// enter waits for a place, which leave gives back.
func (g *gate) enter(ctx context.Context, background bool) (leave func(), err error) {
	w := &waiter{background: background, since: time.Now(), admitted: make(chan struct{})}
	g.mu.Lock()
	if background {
		g.tasks = append(g.tasks, w)
	} else {
		g.people = append(g.people, w)
	}
	g.admit()
	g.mu.Unlock()
	leave = sync.OnceFunc(func() { g.leave(background) })
	select {
	case <-w.admitted:
		return leave, nil
	case <-ctx.Done():
	}
	if !g.withdraw(w) {
		leave() // it was admitted at the same moment
	}
	return nil, context.Cause(ctx)
}

func (g *gate) leave(background bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inFlight--
	if background {
		g.background--
	}
	g.admit()
}

// withdraw takes w out of its queue and reports whether it was there.
func (g *gate) withdraw(w *waiter) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	queue := &g.people
	if w.background {
		queue = &g.tasks
	}
	i := slices.Index(*queue, w)
	if i < 0 {
		return false
	}
	*queue = slices.Delete(*queue, i, i+1)
	return true
}

// admit gives the free places to those who wait. g.mu is held.
func (g *gate) admit() {
	for g.inFlight < g.places {
		switch {
		case g.tasksNext():
			g.tookTurn = len(g.people) > 0
			g.background++
			admitFirst(&g.tasks)
		case len(g.people) > 0:
			g.tookTurn = false
			admitFirst(&g.people)
		default:
			return
		}
		g.inFlight++
	}
}

// tasksNext reports whether the next free place is for background work.
func (g *gate) tasksNext() bool {
	switch {
	case len(g.tasks) == 0 || g.background >= g.places-g.share:
		return false
	case len(g.people) == 0:
		return true
	}
	return !g.tookTurn && time.Since(g.tasks[0].since) >= agedAfter
}

func admitFirst(queue *[]*waiter) {
	close((*queue)[0].admitted)
	(*queue)[0] = nil
	*queue = (*queue)[1:]
}

// waiting is how many calls of its kind have to leave or to be admitted before
// one that came now; 0: it would be admitted at once.
func (g *gate) waiting(background bool) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case !background && g.inFlight < g.places:
		return 0
	case !background:
		return len(g.people) + 1
	case g.inFlight < g.places && g.background < g.places-g.share && len(g.tasks) == 0:
		return 0
	}
	return len(g.tasks) + 1
}
