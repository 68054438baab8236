// Package ratelimit limits how fast an account sends, in all and to each chat, to what its
// platform permits.
package ratelimit

import (
	"context"
	"sync"
	"time"

	"errand/internal/limit"
	"errand/notifiers"
)

// A Limit is how often something may be sent.
type Limit = limit.Rate

// Options say what a platform permits one account.
type Options struct {
	Platform string // as people know it: "Telegram"
	Account  []Limit
	Chat     func(chat string) []Limit // nil: no limit but the account's
}

// A Limiter holds messages back until they may go. Those of one chat go in the
// order in which they were given to it. Chats take turns: each has one message at
// most in the line of the account, however many it has to send. Nothing is
// reserved ahead, so that whatever gives up has used nothing, and a pause is
// followed by no burst. It is safe for concurrent use.
type Limiter struct {
	platform string
	limits   func(chat string) []Limit

	mu      sync.Mutex
	account *bucket
	chats   map[string]*bucket
	typing  *limit.Meter
	busy    struct { // the last that was told to come later, see TooMany
		chat  string
		until time.Time
	}
}

// mostChats is how many chats are measured; those at rest are forgotten first.
const mostChats = 10_000

// New returns a limiter of one account.
func New(o Options) *Limiter {
	p := &Limiter{platform: o.Platform, limits: o.Chat, account: newBucket(o.Account), chats: map[string]*bucket{}}
	p.typing = limit.NewMeter(Limit{Every: 3 * p.account.Every(), Burst: 5})
	return p
}

// Wait waits until a message may go to a chat. If that is later than ctx allows
// it returns a [*notifiers.SendError] at once, which says when to come again.
func (p *Limiter) Wait(ctx context.Context, chat string) error {
	if p.permitted(ctx, chat) {
		return ctxError(ctx)
	}
	c := p.join(chat)
	defer p.done(c)
	if err := p.inTime(ctx, p.expected(c)); err != nil {
		return err
	}
	if err := c.hold(ctx); err != nil {
		return err
	}
	defer c.release()
	for {
		if err := p.rest(ctx, c); err != nil {
			return err
		}
		if err := p.account.hold(ctx); err != nil {
			return err
		}
		err := p.rest(ctx, p.account)
		gone := err == nil && p.take(c)
		p.account.release()
		if err != nil || gone {
			return err
		}
		// The chat was paused meanwhile: the others need not wait for it.
	}
}

// Try takes the place of a message that may go now, before nothing that waits;
// false if there is none. It is for what is worth nothing later.
func (p *Limiter) Try(chat string) bool {
	c := p.join(chat)
	defer p.done(c)
	p.mu.Lock()
	idle := c.queue == 1 && p.account.queue == 1
	p.mu.Unlock()
	return idle && p.take(c)
}

// TryTyping reports whether something may be shown in a chat that is no message and
// is not counted as one, such as that somebody writes: not while there is a
// pause, and not as often as messages.
func (p *Limiter) TryTyping(chat string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if c := p.chats[chat]; c != nil && c.until.After(now) || p.account.until.After(now) {
		return false
	}
	return p.typing.Allow(now)
}

// Pause holds back what goes to a chat for as long as the platform asks for;
// with an empty chat, everything of the account.
func (p *Limiter) Pause(chat string, d time.Duration) {
	c := p.account
	if chat != "" {
		c = p.join(chat)
		defer p.done(c)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	c.pause(time.Now().Add(d))
}

// TooMany is Pause for a platform that does not say whose limit a message to a
// chat was over. It counts as the chat's; when another chat is held back already
// it is not the chats, and the account pauses.
func (p *Limiter) TooMany(chat string, d time.Duration) {
	until := time.Now().Add(d)
	p.mu.Lock()
	other := p.busy.until.After(time.Now()) && p.busy.chat != chat
	if !other || until.After(p.busy.until) {
		p.busy.chat, p.busy.until = chat, until
	}
	p.mu.Unlock()
	p.Pause(chat, d)
	if other {
		p.Pause("", d)
	}
}

func (p *Limiter) join(chat string) *bucket {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.chats[chat]
	if c == nil {
		p.forget()
		var limits []Limit
		if p.limits != nil {
			limits = p.limits(chat)
		}
		c = newBucket(limits)
		p.chats[chat] = c
	}
	c.queue++
	p.account.queue++
	return c
}

func (p *Limiter) done(c *bucket) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.queue--
	p.account.queue--
}

func (p *Limiter) forget() {
	if len(p.chats) < mostChats {
		return
	}
	now := time.Now()
	for id, c := range p.chats {
		if c.queue == 0 && c.full(now) {
			delete(p.chats, id)
		}
	}
}

func (p *Limiter) expected(c *bucket) time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	return max(c.delay(now)+time.Duration(c.queue-1)*c.Every(), p.account.delay(now)+time.Duration(p.account.queue-1)*p.account.Every())
}

// rest waits until a bucket is free. The caller holds it.
func (p *Limiter) rest(ctx context.Context, c *bucket) error {
	for {
		p.mu.Lock()
		d := c.delay(time.Now())
		p.mu.Unlock()
		if d <= 0 {
			return ctxError(ctx)
		}
		if err := p.inTime(ctx, d); err != nil {
			return err
		}
		timer := time.NewTimer(d)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctxError(ctx)
		}
	}
}

func (p *Limiter) take(c *bucket) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if c.delay(now) > 0 || p.account.delay(now) > 0 {
		return false
	}
	c.Take(now)
	p.account.Take(now)
	return true
}

func (p *Limiter) inTime(ctx context.Context, d time.Duration) error {
	if end, ok := ctx.Deadline(); d > 0 && ok && time.Now().Add(d).After(end) {
		return notifiers.NotSentf(d, "as many messages as %s permits are on their way: again in %s", p.platform, d.Round(time.Millisecond))
	}
	return nil
}

func ctxError(ctx context.Context) error {
	if ctx.Err() != nil {
		return notifiers.NotSentf(0, "given up before it was sent")
	}
	return nil
}
