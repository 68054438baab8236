package limit

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"
)

// A Semaphore bounds how many hold it at once, for each key on its own: who waits for
// one key does not wait for another. It may be used by many goroutines.
type Semaphore[K comparable] struct {
	most int64

	mu    sync.Mutex
	byKey map[K]*semaphore.Weighted
}

// NewSemaphore returns one that most may hold at once for each key. It keeps every key
// that it has seen.
func NewSemaphore[K comparable](most int) *Semaphore[K] {
	return &Semaphore[K]{most: int64(most), byKey: map[K]*semaphore.Weighted{}}
}

// Acquire waits until it can be held for a key, for as long as ctx lasts. release gives
// it back, once.
func (s *Semaphore[K]) Acquire(ctx context.Context, key K) (release func(), err error) {
	return s.AcquireN(ctx, key, 1)
}

// AcquireN is Acquire for what weighs as much as n, or as most if that is less. It is served
// in turn: what weighs less does not pass what waits.
func (s *Semaphore[K]) AcquireN(ctx context.Context, key K, n int64) (release func(), err error) {
	w := s.of(key)
	n = min(n, s.most)
	if err := w.Acquire(ctx, n); err != nil {
		return nil, err
	}
	return func() { w.Release(n) }, nil
}

// TryAcquire is Acquire that does not wait: ok is whether there was room.
func (s *Semaphore[K]) TryAcquire(key K) (release func(), ok bool) {
	w := s.of(key)
	if !w.TryAcquire(1) {
		return nil, false
	}
	return func() { w.Release(1) }, true
}

func (s *Semaphore[K]) of(key K) *semaphore.Weighted {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.byKey[key]
	if w == nil {
		w = semaphore.NewWeighted(s.most)
		s.byKey[key] = w
	}
	return w
}
