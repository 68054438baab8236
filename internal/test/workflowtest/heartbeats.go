package workflowtest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/interceptor"
)

// heartbeats find attempts that a server would take for those of a dead worker, and repeat:
// the environment misses no heartbeat. The zero value has found none.
type heartbeats struct {
	mu       sync.Mutex
	timeouts map[string]time.Duration // the shortest of each kind of activity
	missed   []string
}

// expect notes how long an activity may be silent; 0: however long.
func (h *heartbeats) expect(kind string, timeout time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if known, ok := h.timeouts[kind]; timeout == 0 || ok && known <= timeout {
		return
	}
	if h.timeouts == nil {
		h.timeouts = map[string]time.Duration{}
	}
	h.timeouts[kind] = timeout
}

// listen notes whether an attempt is silent for too long, until done is called. One that was
// canceled may be.
func (h *heartbeats) listen(ctx context.Context, info activity.Info) (beating context.Context, done func()) {
	p := &pulse{last: time.Now()}
	return context.WithValue(ctx, pulseKey{}, p), func() {
		longest := p.beat()
		h.mu.Lock()
		defer h.mu.Unlock()
		if timeout, ok := h.timeouts[info.ActivityType.Name]; ok && longest >= timeout && ctx.Err() == nil {
			h.missed = append(h.missed, fmt.Sprintf("%s was silent for %s, and is missed after %s", info.ActivityType.Name, longest, timeout))
		}
	}
}

func (h *heartbeats) found() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.missed
}

type pulseKey struct{}

// A pulse is that of one attempt.
type pulse struct {
	mu      sync.Mutex
	last    time.Time
	longest time.Duration // between two heartbeats
}

// beat notes a heartbeat, and returns the longest time without one. What sends them may go on
// for a moment when its attempt is over.
func (p *pulse) beat() (longest time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	p.longest, p.last = max(p.longest, now.Sub(p.last)), now
	return p.longest
}

// Init sees to what the activity sends.
func (a *activityInbound) Init(out interceptor.ActivityOutboundInterceptor) error {
	listening := &activityOutbound{}
	listening.Next = out
	return a.Next.Init(listening)
}

type activityOutbound struct {
	interceptor.ActivityOutboundInterceptorBase
}

// RecordHeartbeat notes it.
func (a *activityOutbound) RecordHeartbeat(ctx context.Context, details ...any) {
	if p, ok := ctx.Value(pulseKey{}).(*pulse); ok {
		p.beat()
	}
	a.Next.RecordHeartbeat(ctx, details...)
}
