package ratelimit

import (
	"context"
	"sync/atomic"
	"time"
)

// A permit is the place of one message, which has been counted. It is used once;
// one that is not used is lost.
type permit struct {
	limiter *Limiter
	chat    string
	used    atomic.Bool
}

type permitKey struct{}

// Ahead waits like Wait, for no longer than patience, and returns a context in
// which the next Wait for the chat need not: for whoever has something to note
// between the waiting and the sending.
func (p *Limiter) Ahead(ctx context.Context, chat string, patience time.Duration) (context.Context, error) {
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if err := p.Wait(waiting, chat); err != nil {
		return ctx, err
	}
	return context.WithValue(ctx, permitKey{}, &permit{limiter: p, chat: chat}), nil
}

// permitted uses up the permit of ctx, if it has one for the chat. In a pause that
// began meanwhile it is worth nothing.
func (p *Limiter) permitted(ctx context.Context, chat string) bool {
	have, ok := ctx.Value(permitKey{}).(*permit)
	if !ok || have.limiter != p || have.chat != chat || !have.used.CompareAndSwap(false, true) {
		return false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	c := p.chats[chat]
	return !p.account.until.After(now) && (c == nil || !c.until.After(now))
}
