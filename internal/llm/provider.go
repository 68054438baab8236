package llm

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"errand/internal/limit"
)

// A server is what all models of one address and key share.
type server struct {
	semaphore   *limit.FairSemaphore
	concurrency int // 0: no model sets it; negative: no limit
}

type provider struct {
	Provider
	wire      wire
	price     Price
	client    *http.Client
	semaphore *limit.FairSemaphore // of the server
	tools     *encodedTools        // of all providers of a client

	// stateFor names the server, model and wire: what it hands out is for these only.
	stateFor string
	// shared names the server, key and model to the other workers, without telling the key.
	shared string
	pause  func(provider string, wait time.Duration) // tells the others; nil: there are none

	calibration calibration

	firstToken time.Duration
	idle       time.Duration
	alternates atomic.Bool // it wants one message of each speaker at a time
	blind      atomic.Bool // it has refused pictures
	refused    sync.Map    // of [toolContent]: foreign tools that it has refused

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

// acquire waits for a place at the server.
func (p *provider) acquire(ctx context.Context, r Request) (release func(), err error) {
	waited := false
	release, err = p.semaphore.Acquire(ctx, limit.Caller{Person: r.For, Guest: r.Guest, Background: r.Background}, func() {
		if waited = r.Waits != nil; waited {
			r.Waits(true)
		}
	})
	if waited && err == nil {
		r.Waits(false)
	}
	return release, err
}

func (p *provider) failed(e *Error, now time.Time) {
	p.rest(now, e.RetryAfter)
	if e.RetryAfter > 0 && e.Retryable() {
		p.closeUntil(now.Add(e.RetryAfter))
		if p.pause != nil {
			p.pause(p.shared, e.RetryAfter)
		}
	}
}

func (p *provider) rest(now time.Time, atLeast time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	until := now.Add(max(min(minRest<<min(p.failures, 10), maxRest), atLeast))
	p.failures++
	if until.After(p.avoid) {
		p.avoid = until
	}
}

// closeUntil notes that the provider asked, here or at another worker, not to be called
// before. A longer pause that is known stays.
func (p *provider) closeUntil(t time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.After(p.closed) {
		p.closed = t
	}
	if t.After(p.avoid) {
		p.avoid = t
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
