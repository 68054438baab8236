package web

import (
	"net"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A gate lets each remote address through so often, and all of them together ten
// times as often: whoever guesses tokens, or fills the list of those who ask to be
// let in, is slowed down, however many addresses they have. It is kept in the
// process: with several, each has its own.
type gate struct {
	every time.Duration
	burst int

	mu   sync.Mutex
	seen map[string]*rate.Limiter
	all  *rate.Limiter
}

// gateSize is how many addresses a gate remembers.
const gateSize = 4096

func newGate(every time.Duration, burst int) *gate {
	return &gate{every: every, burst: burst, seen: map[string]*rate.Limiter{}, all: rate.NewLimiter(rate.Every(every/10), 10*burst)}
}

// shut reports whether the gate would let an address not through now.
func (g *gate) shut(address string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	l := g.seen[network(address)]
	return l != nil && l.Tokens() < 1 || g.all.Tokens() < 1
}

func (g *gate) pass(address string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := network(address)
	l := g.seen[key]
	if l == nil {
		g.forget()
		l = rate.NewLimiter(rate.Every(g.every), g.burst)
		g.seen[key] = l
	}
	return l.Allow() && g.all.Allow()
}

// forget makes room. Addresses that have been quiet long enough go first; where
// there are none, everything does: whoever has thousands of addresses is not
// held up by this anyway, and nobody else shall be locked out.
func (g *gate) forget() {
	if len(g.seen) < gateSize {
		return
	}
	for key, l := range g.seen {
		if l.Tokens() >= float64(g.burst) {
			delete(g.seen, key)
		}
	}
	if len(g.seen) >= gateSize {
		clear(g.seen)
	}
}

// network returns what counts as one address: for IPv6 the /64 that one customer
// has.
func network(address string) string {
	ip := net.ParseIP(address)
	if ip == nil || ip.To4() != nil {
		return address
	}
	return ip.Mask(net.CIDRMask(64, 128)).String()
}
