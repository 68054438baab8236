package telegram

import (
	"math"
	"strconv"
	"time"
)

// A bucket is a rate that is measured: as many as fit in the time may come at
// once.
type bucket struct {
	tokens float64
	at     time.Time
}

// wait returns how long it is until there is room for one more; most fit into
// per.
func (b *bucket) wait(now time.Time, most int, per time.Duration) time.Duration {
	if most < 0 {
		return 0
	}
	rate := float64(most) / per.Seconds()
	if b.at.IsZero() {
		b.tokens = float64(most)
	} else {
		b.tokens = min(float64(most), b.tokens+now.Sub(b.at).Seconds()*rate)
	}
	b.at = now
	// A clock that people set in a test may be a hair early.
	if b.tokens >= 1-1e-6 {
		return 0
	}
	return time.Duration((1 - b.tokens) / rate * float64(time.Second))
}

// limit refuses what comes too fast; the caller holds mu.
func (s *Server) limit(b *Bot, c *Chat) error {
	now := s.opts.Now()
	in := c.sent[b.ID]
	if in == nil {
		in = new([2]bucket)
		c.sent[b.ID] = in
	}
	wait := max(in[0].wait(now, s.opts.PerChat, time.Second), b.sent.wait(now, s.opts.PerBot, time.Second))
	if c.with == nil {
		wait = max(wait, in[1].wait(now, s.opts.PerGroup, time.Minute))
	}
	if wait > 0 {
		after := max(1, int(math.Ceil(wait.Seconds())))
		return &refusal{429, "Too Many Requests: retry after " + strconv.Itoa(after), parameters{RetryAfter: after}}
	}
	in[0].tokens--
	in[1].tokens--
	b.sent.tokens--
	return nil
}
