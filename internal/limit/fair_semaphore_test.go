package limit_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"errand/internal/limit"
)

// A placeQueue notes who gets a place of a semaphore, and when.
type placeQueue struct {
	t        *testing.T
	s        *limit.FairSemaphore
	mu       sync.Mutex // several calls may get a place at once; a test reads after synctest.Wait
	begun    []string
	releases map[string]func()
	waits    int // times that a caller was told to wait
}

func newPlaceQueue(t *testing.T, places int) *placeQueue {
	return &placeQueue{t: t, s: limit.NewFairSemaphore(places), releases: map[string]func(){}}
}

// call asks for a place. Its name is the person and a number: "ada1".
func (q *placeQueue) call(ctx context.Context, name string, c limit.Caller) {
	c.Person = strings.TrimRight(name, "0123456789")
	go func() {
		release, err := q.s.Acquire(ctx, c, func() {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.waits++
		})
		if err == nil {
			q.mu.Lock()
			defer q.mu.Unlock()
			q.begun = append(q.begun, name)
			q.releases[name] = release
		}
	}()
	synctest.Wait()
}

func (q *placeQueue) calls(n int, person string, c limit.Caller) {
	for i := range n {
		q.call(q.t.Context(), fmt.Sprint(person, i), c)
	}
}

func (q *placeQueue) finish(names ...string) {
	for _, name := range names {
		q.releases[name]()
		synctest.Wait()
	}
}

func (q *placeQueue) held(person string) (n int) {
	for _, name := range q.begun {
		if strings.TrimRight(name, "0123456789") == person {
			n++
		}
	}
	return n
}

var (
	turn       = limit.Caller{}
	guest      = limit.Caller{Guest: true}
	background = limit.Caller{Background: true}
)

// TestShareOfOnePerson proves that one person holds at most three quarters of the places and a
// guest half, also while no other person waits, and that another person then gets one at once.
func TestShareOfOnePerson(t *testing.T) {
	for _, test := range []struct {
		places int
		c      limit.Caller
		want   int
	}{
		{64, turn, 48}, {64, guest, 32}, {64, background, 47}, {5, turn, 3}, {5, guest, 2}, {4, background, 2},
		{2, turn, 1}, {2, guest, 1}, {2, background, 1}, {1, turn, 1}, {1, guest, 1}, {1, background, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := newPlaceQueue(t, test.places)
			ctx, cancel := context.WithCancel(t.Context())
			for i := range 60 {
				q.call(ctx, fmt.Sprint("ada", i), test.c)
			}
			if q.held("ada") != test.want || q.waits != 60-test.want || !test.c.Background && q.s.Waiting("ada") != q.waits {
				t.Errorf("%d places, %+v: one person holds %d, and %d calls wait; want %d", test.places, test.c, q.held("ada"), q.waits, test.want)
			}
			q.call(ctx, "bob0", turn)
			if got := q.held("bob") == 1; got != (test.places > 1) {
				t.Errorf("%d places, %+v: another person has a place: %t", test.places, test.c, got)
			}
			cancel()
		})
	}
}

// TestReservedPlaces proves that the last quarter goes to people who hold none, and that
// the tasks of a person do not delay that person's turn.
func TestReservedPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newPlaceQueue(t, 8)
		for i := range 100 {
			q.call(t.Context(), fmt.Sprintf("person%c0", rune(1000+i)), background)
		}
		if len(q.begun) != 6 {
			t.Errorf("tasks of many people hold %d of 8 places, want 6", len(q.begun))
		}
		q.call(t.Context(), "ada0", turn)
		q.call(t.Context(), "ada1", turn)
		q.call(t.Context(), "bob0", turn)
		if q.held("ada") != 1 || q.held("bob") != 1 {
			t.Errorf("of two reserved places ada has %d and bob %d", q.held("ada"), q.held("bob"))
		}
	})
	synctest.Test(t, func(t *testing.T) {
		q := newPlaceQueue(t, 8)
		q.calls(20, "ada", background)
		if q.held("ada") != 5 {
			t.Errorf("tasks of one person hold %d of 8 places, want 5", q.held("ada"))
		}
		q.call(t.Context(), "ada100", turn)
		if !slices.Contains(q.begun, "ada100") {
			t.Error("the turn of a person waits for that person's tasks")
		}
	})
}

// TestPeopleGoFirst proves that a place which both want goes to people.
func TestPeopleGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newPlaceQueue(t, 1)
		q.call(t.Context(), "ada0", background)
		q.call(t.Context(), "bob0", background)
		q.call(t.Context(), "eve0", turn)
		q.finish("ada0", "eve0", "bob0")
		if want := []string{"ada0", "eve0", "bob0"}; !slices.Equal(q.begun, want) {
			t.Errorf("they begin in the order %v, want %v", q.begun, want)
		}
	})
}

// TestBackgroundWorkGoesOn proves that background work takes every second place once it has
// waited for long, although people want all places.
func TestBackgroundWorkGoesOn(t *testing.T) {
	for _, places := range []int{1, 8} {
		synctest.Test(t, func(t *testing.T) {
			q := newPlaceQueue(t, places)
			name := func(kind string, i int) string { return fmt.Sprintf("%s%c0", kind, 'a'+i) }
			for i := range places {
				q.call(t.Context(), name("now", i), turn)
			}
			for i := range 4 {
				q.call(t.Context(), name("task", i), background)
				q.call(t.Context(), name("person", i), turn)
			}
			time.Sleep(10 * time.Second)
			for i := range places {
				q.finish(name("now", i))
			}
			for i := places; i < places+6; i++ {
				if len(q.begun) == i {
					q.finish(q.begun[i-1])
				}
			}
			want := []string{"taska0", "persona0", "taskb0", "personb0", "taskc0", "personc0"}
			if got := q.begun[places : places+6]; !slices.Equal(got, want) {
				t.Errorf("%d places: they begin in the order %v, want %v", places, got, want)
			}
		})
	}
}

// TestLeaveTheQueue proves that a call which is canceled while it waits takes no place, and
// that the others get theirs.
func TestLeaveTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newPlaceQueue(t, 1)
		q.call(t.Context(), "ada0", turn)
		ctx, cancel := context.WithCancel(t.Context())
		q.call(ctx, "gone0", turn)
		q.call(t.Context(), "bob0", background)
		cancel()
		synctest.Wait()
		q.finish("ada0")
		q.releases["ada0"]() // does nothing
		q.call(t.Context(), "eve0", turn)
		if want := []string{"ada0", "bob0"}; !slices.Equal(q.begun, want) {
			t.Errorf("%v have a place, want %v", q.begun, want)
		}
		q.finish("bob0", "eve0")
	})
}

// TestPanicLeavesTheQueue proves that a call whose wait panics keeps no place, whether it was
// admitted meanwhile or not.
func TestPanicLeavesTheQueue(t *testing.T) {
	for _, admitted := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			q := newPlaceQueue(t, 1)
			q.call(t.Context(), "ada0", turn)
			func() {
				defer func() { recover() }()
				q.s.Acquire(t.Context(), limit.Caller{Person: "eve"}, func() {
					if admitted {
						q.finish("ada0")
					}
					panic("oh")
				})
			}()
			if !admitted {
				q.finish("ada0")
			}
			q.call(t.Context(), "bob0", turn)
			if q.held("bob") != 1 {
				t.Errorf("admitted: %t: the place is lost", admitted)
			}
			q.releases["ada0"]() // does nothing
		})
	}
}

// TestReservedPlaceWithAge proves that background work which has waited for long takes a
// reserved place that is free, although no other call comes or ends.
func TestReservedPlaceWithAge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newPlaceQueue(t, 8)
		q.calls(6, "ada", turn)
		q.call(t.Context(), "bob0", background)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if q.held("bob") != 1 {
			t.Error("it waits although a place is free")
		}
	})
}

// TestPeopleTakeTurns proves that many calls of one person do not delay another person's
// call, in the background and in the foreground, and that the calls of one go in order.
func TestPeopleTakeTurns(t *testing.T) {
	for _, c := range []limit.Caller{turn, background} {
		synctest.Test(t, func(t *testing.T) {
			q := newPlaceQueue(t, 1)
			ctx, cancel := context.WithCancel(t.Context())
			for i := range 80 {
				q.call(ctx, fmt.Sprint("ada", i), c)
			}
			q.calls(2, "bob", c)
			q.calls(1, "eve", c)
			gone, leave := context.WithCancel(t.Context())
			q.call(gone, "zoe0", c)
			leave()
			synctest.Wait()
			for i := range 7 {
				q.finish(q.begun[i])
			}
			if want := []string{"ada0", "ada1", "bob0", "eve0", "ada2", "bob1", "ada3", "ada4"}; !slices.Equal(q.begun, want) {
				t.Errorf("they begin in the order %v, want %v", q.begun, want)
			}
			cancel()
		})
	}
}

// TestPlacesComeBack proves that calls which wait get a place when another process ends, and
// that none loses its place when a process starts.
func TestPlacesComeBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newPlaceQueue(t, 8)
		q.s.Divide(4)
		for i := range 8 {
			q.call(t.Context(), fmt.Sprintf("person%c0", 'a'+i), turn)
		}
		if len(q.begun) != 2 {
			t.Errorf("%d calls at one of four processes, want 2", len(q.begun))
		}
		q.s.Divide(1)
		synctest.Wait()
		if len(q.begun) != 8 {
			t.Errorf("%d calls at the only process, want 8", len(q.begun))
		}
		q.s.Divide(4)
		q.call(t.Context(), "late0", turn)
		q.finish(q.begun[:6]...)
		if len(q.begun) != 8 {
			t.Error("a call begins although too many go on")
		}
		q.finish(q.begun[6])
		if len(q.begun) != 9 {
			t.Error("a call waits although a place is free")
		}
	})
}
