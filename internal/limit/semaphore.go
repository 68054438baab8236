package limit

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// A Semaphore limits concurrent holders for each key. It is safe for concurrent use.
type Semaphore[K comparable] struct {
	most int64

	mu    sync.Mutex
	byKey map[K]*keySemaphore
}

type keySemaphore struct {
	*semaphore.Weighted
	users int // holders and waiters
}

// NewSemaphore returns a semaphore that allows most concurrent holders for each key.
func NewSemaphore[K comparable](most int) *Semaphore[K] {
	return &Semaphore[K]{most: int64(most), byKey: map[K]*keySemaphore{}}
}

// Acquire waits for a place until ctx ends. release may be called only once.
func (s *Semaphore[K]) Acquire(ctx context.Context, key K) (release func(), err error) {
	return s.AcquireN(ctx, key, 1)
}

// AcquireN is Acquire with weight n, which is limited to the maximum. Waiters are served in order.
func (s *Semaphore[K]) AcquireN(ctx context.Context, key K, n int64) (release func(), err error) {
	n = min(n, s.most)
	return s.enter(key, n, func(w *keySemaphore) error { return w.Acquire(ctx, n) })
}

// TryAcquire is Acquire without waiting. ok is false if there was no free place.
func (s *Semaphore[K]) TryAcquire(key K) (release func(), ok bool) {
	release, err := s.enter(key, 1, func(w *keySemaphore) error {
		if !w.TryAcquire(1) {
			return context.DeadlineExceeded
		}
		return nil
	})
	return release, err == nil
}

func (s *Semaphore[K]) enter(key K, n int64, acquire func(*keySemaphore) error) (release func(), err error) {
	s.mu.Lock()
	w := s.byKey[key]
	if w == nil {
		w = &keySemaphore{Weighted: semaphore.NewWeighted(s.most)}
		s.byKey[key] = w
	}
	w.users++
	s.mu.Unlock()
	if err := acquire(w); err != nil {
		s.leave(key, w)
		return nil, err
	}
	return func() { w.Release(n); s.leave(key, w) }, nil
}

func (s *Semaphore[K]) leave(key K, w *keySemaphore) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.users--; w.users == 0 {
		delete(s.byKey, key)
	}
}
