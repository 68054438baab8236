package llm

import (
	"net/http"
	"sync"
	"time"
)

// provider is a Provider with what this process knows about it.
type provider struct {
	Provider
	price     Price
	client    *http.Client
	semaphore *prioritySemaphore

	firstToken time.Duration
	idle       time.Duration

	mu       sync.Mutex
	failures int       // in a row
	avoid    time.Time // until then, others come first
	closed   time.Time // until then, it asked not to be called
}

// How long a provider is avoided after a failure: doubled with each, so that a
// dead one costs one slow call a minute, and a hiccup costs nothing for long.
const (
	minRest = 2 * time.Second
	maxRest = time.Minute
)

func (p *provider) failed(e *Error, now time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	rest := max(min(minRest<<min(p.failures, 10), maxRest), e.RetryAfter)
	p.failures++
	p.avoid = now.Add(rest)
	if e.RetryAfter > 0 && e.Retryable() {
		p.closed = now.Add(e.RetryAfter)
	}
}

func (p *provider) succeeded() {
	p.mu.Lock()
	defer p.mu.Unlock()
	// closed stays: another call may have been told to wait meanwhile.
	p.failures, p.avoid = 0, time.Time{}
}

// avoided reports whether others should be tried first.
func (p *provider) avoided(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return now.Before(p.avoid)
}

// closedFor is how long the provider still asks not to be called.
func (p *provider) closedFor(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.closed.Sub(now), 0)
}
