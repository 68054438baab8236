package notifiers

import (
	"context"
	"maps"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// AccountLimits are the rate limits of a platform for one account.
type AccountLimits struct {
	Platform string // its display name: "Telegram"
	Account  RateLimit
	Chat     func(chat string) []RateLimit // nil: only the account's limit applies
}

// An AccountLimiter keeps an account within its platform's rate limits, in total and for each
// chat. Messages of one chat are sent in the order of their Wait calls. Chats take turns: each
// has at most one message in the account's queue. The limiter reserves nothing in advance, so a
// caller that gives up uses nothing, and no burst follows a pause. It is safe for concurrent use.
type AccountLimiter struct {
	AccountLimits

	mu      sync.Mutex
	account *bucket
	chats   map[string]*bucket
	typing  *rate.Limiter
	busy    struct { // the chat of the last call of TooMany, and the end of its pause
		chat  string
		until time.Time
	}
}

// With maxChats buckets, the limiter forgets chats without a message for atRestAfter. Every
// platform limit has its full burst again by then.
const (
	maxChats    = 10_000
	atRestAfter = 5 * time.Minute
)

func NewAccountLimiter(o AccountLimits) *AccountLimiter {
	return &AccountLimiter{AccountLimits: o, account: newBucket(o.Account), chats: map[string]*bucket{}, typing: rate.NewLimiter(rate.Every(3*o.Account.Every), 5)}
}

// Wait waits until a message to a chat may be sent. If that is after ctx's deadline, it returns a
// [*SendError] at once, with the time to retry.
func (p *AccountLimiter) Wait(ctx context.Context, chat string) error {
	if p.usePermit(ctx, chat) {
		return ctxError(ctx)
	}
	c := p.join(chat)
	defer p.leave(c)
	p.mu.Lock()
	now := time.Now()
	delay := max(c.delay(c.queue, now), p.account.delay(p.account.queue, now))
	p.mu.Unlock()
	if err := p.checkTime(ctx, delay); err != nil {
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
		taken := err == nil && p.take(c)
		p.account.release()
		if err != nil || taken {
			return err
		}
		// The chat was paused meanwhile. Let other chats use the account.
	}
}

type permitKey struct{}

// A permit allows one message without another wait.
type permit struct {
	limiter *AccountLimiter
	chat    string
	used    bool
}

// Ahead waits like Wait, but at most for patience. With the context that it returns, the next
// Wait for the chat returns at once. Between the two a caller can record that it is sending.
func (p *AccountLimiter) Ahead(ctx context.Context, chat string, patience time.Duration) (context.Context, error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := p.Wait(waiting, chat); err != nil {
		return ctx, err
	}
	return context.WithValue(ctx, permitKey{}, &permit{limiter: p, chat: chat}), nil
}

// usePermit does not accept a permit if the chat or the account was paused after it was issued.
func (p *AccountLimiter) usePermit(ctx context.Context, chat string) bool {
	have, ok := ctx.Value(permitKey{}).(*permit)
	if !ok || have.limiter != p || have.chat != chat {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if have.used {
		return false
	}
	have.used = true
	return !p.isPaused(chat, time.Now())
}

// timePerPart is how long a platform may take to answer for each part of a text.
const timePerPart = time.Second

// patient is the deadline from which an attempt counts as a background one; attempts that a person
// waits for have less time.
const patient = 20 * time.Second

// Fits returns a [*SendError] if not all parts of a text can be sent before ctx's deadline. The
// caller must then send none: an attempt that ends between two parts leaves the outcome unknown,
// and on some platforms a retry would repeat all parts. If even an idle account could not send the
// text before the deadline, a background attempt starts it anyway.
func (p *AccountLimiter) Fits(ctx context.Context, chat string, parts int) error {
	end, ok := ctx.Deadline()
	if !ok || parts <= 1 {
		return nil
	}
	c := p.join(chat)
	defer p.leave(c)
	p.mu.Lock()
	now := time.Now()
	atRest := max(p.newChat(chat).delay(parts, now), newBucket(p.Account).delay(parts, now))
	// In the worst case each part waits for all other messages in the account's queue.
	busy := max(c.delay(parts+c.queue-1, now), p.account.delay(parts*p.account.queue, now))
	p.mu.Unlock()
	left, answers := end.Sub(now), time.Duration(parts)*timePerPart
	atRest, busy = max(atRest+timePerPart, answers), max(busy+timePerPart, answers)
	switch {
	case atRest > left && left < patient: // another attempt has more time
		return NotSentf(0, "%d parts take %s, and there is not as much time now", parts, atRest.Round(time.Second))
	case atRest > left || busy <= left:
		return nil
	}
	return NotSentf(busy-left, "%d parts take %s, with what is on its way before them", parts, busy.Round(time.Second))
}

// Try reports whether a message may be sent now, and counts it. It is false if other messages
// wait. Use it for messages that are worthless later, such as progress.
func (p *AccountLimiter) Try(chat string) bool {
	c := p.join(chat)
	defer p.leave(c)
	p.mu.Lock()
	idle := c.queue == 1 && p.account.queue == 1
	p.mu.Unlock()
	return idle && p.take(c)
}

// TryTyping reports whether a typing indicator may be shown in a chat. It is false during a pause.
// Indicators are limited to a lower rate than messages, and do not count as messages.
func (p *AccountLimiter) TryTyping(chat string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	return !p.isPaused(chat, now) && p.typing.AllowN(now, 1)
}

// Pause stops messages to a chat for d, or all messages of the account if chat is empty.
func (p *AccountLimiter) Pause(chat string, d time.Duration) {
	b := p.account
	if chat != "" {
		b = p.join(chat)
		defer p.leave(b)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if until := time.Now().Add(d); until.After(b.until) {
		b.until = until
	}
}

// TooMany pauses after a rate-limit error from a platform that does not say which limit was
// exceeded. It first assumes the chat's limit. If another chat is paused already, it assumes the
// account's limit and pauses the account.
func (p *AccountLimiter) TooMany(chat string, d time.Duration) {
	p.mu.Lock()
	now := time.Now()
	other := p.busy.until.After(now) && p.busy.chat != chat
	if until := now.Add(d); !other || until.After(p.busy.until) {
		p.busy.chat, p.busy.until = chat, until
	}
	p.mu.Unlock()
	p.Pause(chat, d)
	if other {
		p.Pause("", d)
	}
}

// isPaused requires that the caller holds p.mu.
func (p *AccountLimiter) isPaused(chat string, now time.Time) bool {
	c := p.chats[chat]
	return p.account.isPaused(now) || c != nil && c.isPaused(now)
}

func (p *AccountLimiter) join(chat string) *bucket {
	p.mu.Lock()
	defer p.mu.Unlock()
	c := p.chats[chat]
	if c == nil {
		p.forget()
		c = p.newChat(chat)
		p.chats[chat] = c
	}
	c.queue++
	p.account.queue++
	return c
}

func (p *AccountLimiter) newChat(chat string) *bucket {
	if p.Chat == nil {
		return newBucket()
	}
	return newBucket(p.Chat(chat)...)
}

func (p *AccountLimiter) leave(c *bucket) {
	p.mu.Lock()
	defer p.mu.Unlock()
	c.queue--
	p.account.queue--
}

func (p *AccountLimiter) forget() {
	if len(p.chats) < maxChats {
		return
	}
	now := time.Now()
	maps.DeleteFunc(p.chats, func(_ string, c *bucket) bool {
		return c.queue == 0 && !c.isPaused(now) && now.Sub(c.last) > atRestAfter
	})
}

// rest requires that the caller holds b's turn.
func (p *AccountLimiter) rest(ctx context.Context, b *bucket) error {
	for {
		p.mu.Lock()
		d := b.delay(1, time.Now())
		p.mu.Unlock()
		if d <= 0 {
			return ctxError(ctx)
		}
		if err := p.checkTime(ctx, d); err != nil {
			return err
		}
		select {
		case <-time.After(d):
		case <-ctx.Done():
			return ctxError(ctx)
		}
	}
}

func (p *AccountLimiter) take(c *bucket) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if c.delay(1, now) > 0 || p.account.delay(1, now) > 0 {
		return false
	}
	c.take(now)
	p.account.take(now)
	return true
}

func (p *AccountLimiter) checkTime(ctx context.Context, d time.Duration) error {
	if end, ok := ctx.Deadline(); d > 0 && ok && time.Now().Add(d).After(end) {
		return NotSentf(d, "as many messages as %s permits are on their way: again in %s", p.Platform, d.Round(time.Millisecond))
	}
	return nil
}

func ctxError(ctx context.Context) error {
	if ctx.Err() != nil {
		return NotSentf(0, "given up before it was sent")
	}
	return nil
}
