package llm_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/llm"
	. "errand/internal/llm/llmtest"
)

type queue struct {
	t      *testing.T
	client *llm.Client

	mu    sync.Mutex
	begun []string // who was let in, in order
	open  map[string]chan struct{}
	done  sync.WaitGroup
}

func newQueue(t *testing.T, places int) *queue {
	q := &queue{t: t, open: map[string]chan struct{}{}}
	c, err := llm.New(llm.Config{Models: map[string]llm.Model{"default": {Providers: []llm.Provider{{
		Name: "only", Model: "m", Concurrency: places,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { Answer("hi")(w, r) }),
	}}}}})
	require.NoError(t, err)
	q.client = c
	t.Cleanup(func() {
		for _, release := range q.open {
			close(release)
		}
		q.done.Wait()
	})
	return q
}

// call makes a call that is under way, once it is let in, until finish.
func (q *queue) call(ctx context.Context, name string, background bool) {
	q.callFor(ctx, "", name, background)
}

func (q *queue) callFor(ctx context.Context, person, name string, background bool) {
	release := make(chan struct{})
	q.mu.Lock()
	q.open[name] = release
	q.mu.Unlock()
	r := hello()
	r.Background, r.For = background, person
	q.done.Go(func() {
		_, err := q.client.Complete(ctx, r, func(llm.Delta) {
			q.mu.Lock()
			q.begun = append(q.begun, name)
			q.mu.Unlock()
			<-release
		})
		if err != nil && ctx.Err() == nil {
			q.t.Error(err)
		}
	})
	synctest.Wait()
}

func (q *queue) finish(names ...string) {
	for _, name := range names {
		close(q.open[name])
		delete(q.open, name)
		synctest.Wait()
	}
}

func (q *queue) isStarted(name string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return slices.Contains(q.begun, name)
}

// TestPeopleFindAPlace proves that background work, however much there is, leaves
// places for people.
func TestPeopleFindAPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 8)
		for i := range 100 {
			q.call(t.Context(), fmt.Sprint("task", i), true)
		}
		require.Len(t, q.begun, 6, "a quarter is kept free")
		require.Equal(t, 0, q.client.Waiting("default", false))
		require.Equal(t, 95, q.client.Waiting("default", true))
		q.call(t.Context(), "hello", false)
		require.True(t, q.isStarted("hello"))
	})
}

// TestPeopleGoFirst proves that a place which is wanted by both goes to people.
func TestPeopleGoFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 1)
		q.call(t.Context(), "task1", true)
		q.call(t.Context(), "task2", true)
		q.call(t.Context(), "hello", false)
		q.finish("task1")
		require.Equal(t, []string{"task1", "hello"}, q.begun)
		q.finish("hello", "task2")
		require.Equal(t, []string{"task1", "hello", "task2"}, q.begun)
	})
}

// TestBackgroundWorkNeverStandsStill proves that it gets every second place once
// it has waited for long, though people take all there are.
func TestBackgroundWorkNeverStandsStill(t *testing.T) {
	for _, places := range []int{1, 8} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, places)
			for i := range places {
				q.call(t.Context(), fmt.Sprint("now", i), false)
			}
			for i := range 4 {
				q.call(t.Context(), fmt.Sprint("task", i), true)
				q.call(t.Context(), fmt.Sprint("person", i), false)
			}
			time.Sleep(10 * time.Second)
			for i := range places {
				q.finish(fmt.Sprint("now", i))
			}
			for i := places; i < places+6; i++ {
				if len(q.begun) == i {
					q.finish(q.begun[i-1])
				}
			}
			require.Equal(t, []string{"task0", "person0", "task1", "person1", "task2", "person2"}, q.begun[places:places+6])
		})
	}
}

// TestWhoLeavesTheQueue proves that a call which is given up while it waits takes
// no place, and that nothing of it is lost.
func TestWhoLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newQueue(t, 1)
		q.call(t.Context(), "first", false)
		ctx, cancel := context.WithCancel(t.Context())
		q.call(ctx, "gone", false)
		q.call(t.Context(), "last", true)
		cancel()
		synctest.Wait()
		require.Equal(t, 1, q.client.Waiting("default", false))
		q.finish("first")
		require.Equal(t, []string{"first", "last"}, q.begun)
		q.finish("last")
		require.Equal(t, 0, q.client.Waiting("default", true))
	})
}

// TestPeopleTakeTurns proves that whose many calls wait hold up nobody else's one,
// in the background and in the foreground, and that one's own go in order.
func TestPeopleTakeTurns(t *testing.T) {
	for _, background := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(t, 1)
			for i := range 80 {
				q.callFor(t.Context(), "ada", fmt.Sprint("ada", i), background)
			}
			q.callFor(t.Context(), "bob", "bob0", background)
			q.callFor(t.Context(), "bob", "bob1", background)
			q.callFor(t.Context(), "eve", "eve0", background)
			gone, cancel := context.WithCancel(t.Context())
			q.callFor(gone, "zoe", "zoe0", background)
			cancel()
			synctest.Wait()
			for i := range 7 {
				q.finish(q.begun[i])
			}
			require.Equal(t, []string{"ada0", "ada1", "bob0", "eve0", "ada2", "bob1", "ada3", "ada4"}, q.begun)
			require.Equal(t, 76, q.client.Waiting("default", background))
		})
	}
}
