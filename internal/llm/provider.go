package llm

import (
	"context"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"errand/internal/limit"
)

type server struct {
	semaphore   *limit.FairSemaphore
	concurrency int // 0: no model sets it; negative: no limit
}

type provider struct {
	Provider
	wire      wire
	price     Price
	client    *http.Client
	semaphore *limit.FairSemaphore // shared by all calls to the server
	tools     *encodedTools        // shared by all providers of a client

	// stateFor names the server, model and wire. A provider state is valid only for these.
	stateFor string
	// shared identifies the server, key and model for other workers. It is a hash, so it does
	// not reveal the key.
	shared string
	// Notifies the other workers; nil: there are none.
	pause func(provider string, wait time.Duration)

	calibration calibration

	firstToken time.Duration
	idle       time.Duration
	alternates atomic.Bool // it requires roles to alternate
	sees       atomic.Bool // it accepts pictures, as far as is known
	looked     atomic.Bool // a trial has found out whether it does
	refused    sync.Map    // keys are [toolContent]: foreign tools that it has refused

	mu       sync.Mutex
	failures int       // in a row
	avoid    time.Time // until then, other providers come first
	closed   time.Time // until then, it must not be called
}

// The rest doubles with each failure. A dead provider costs one slow call a minute, and a
// short failure costs little.
const (
	minRest = 2 * time.Second
	maxRest = time.Minute
)

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
	// Keep closed: another call may have received a Retry-After meanwhile.
	p.failures, p.avoid = 0, time.Time{}
}

func (p *provider) avoided(now time.Time) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return now.Before(p.avoid)
}

func (p *provider) closedFor(now time.Time) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return max(p.closed.Sub(now), 0)
}
