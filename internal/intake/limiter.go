package intake

import (
	"strconv"
	"sync"
	"time"
)

// mostPaces is how many rates are kept; those that are at rest are forgotten
// first.
const mostPaces = 10_000

// A pacer measures the rates of messages. What was measured is not kept over a
// restart.
type pacer struct {
	now   func() time.Time
	mu    sync.Mutex
	rates map[string]*bucket
}

func newPacer(now func() time.Time) *pacer {
	if now == nil {
		now = time.Now
	}
	return &pacer{now: now, rates: map[string]*bucket{}}
}

// A pace is a rate that a message has to keep.
type pace struct {
	key       string
	perMinute int
}

// A counted is what a message was counted at.
type counted struct {
	sent time.Time // when it was written; zero: now
	at   []*bucket
}

// A bucket has room for the messages of a minute, and gets it back within one.
type bucket struct {
	most, left float64
	at         time.Time
}

// wait is how long it takes until there is room for a message.
func (b *bucket) wait(now time.Time) time.Duration {
	if since := now.Sub(b.at); since > 0 {
		b.left, b.at = min(b.most, b.left+b.most*since.Minutes()), now
	}
	return time.Duration((1 - b.left) / b.most * float64(time.Minute))
}

// count counts a message, or what else happens at a time, at each pace, or at none
// and returns how long it would have to wait. No time is now.
func (p *pacer) count(c *counted, at time.Time, paces ...pace) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now, longest := p.now(), time.Duration(0)
	var of []*bucket
	for _, pace := range paces {
		if pace.perMinute <= 0 {
			continue
		}
		pace.key += waited(at, now)
		b := p.bucket(pace, now)
		of, longest = append(of, b), max(longest, b.wait(now))
	}
	if longest > 0 {
		return longest
	}
	for _, b := range of {
		b.left--
	}
	c.at = append(c.at, of...)
	return 0
}

// uncount undoes what a message was counted at.
func (p *pacer) uncount(c *counted) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range c.at {
		b.left = min(b.most, b.left+1)
	}
	c.at = nil
}

// longestWait is how long a message may have waited for us. What seems to be older
// was written then.
const longestWait = 7 * 24 * time.Hour

// waited names the minute in which a message was written that comes later. What
// piled up while we were away comes all at once, and in no order over the chats:
// each minute of it has rates of its own.
func waited(sent, now time.Time) string {
	late := min(now.Sub(sent), longestWait)
	if sent.IsZero() || late <= time.Minute {
		return ""
	}
	return " in " + strconv.FormatInt(now.Add(-late).Unix()/60, 10)
}

func (p *pacer) bucket(c pace, now time.Time) *bucket {
	b := p.rates[c.key]
	if b == nil {
		p.forget(now)
		b = &bucket{most: float64(c.perMinute), left: float64(c.perMinute), at: now}
		p.rates[c.key] = b
	}
	return b
}

// forget makes room: a rate that is at rest is as good as a new one.
func (p *pacer) forget(now time.Time) {
	if len(p.rates) < mostPaces {
		return
	}
	for key, b := range p.rates {
		if b.wait(now); b.left >= b.most {
			delete(p.rates, key)
		}
	}
}
