package ratelimit

import (
	"context"
	"time"

	"errand/notifiers"
)

const eachTakes = time.Second

// patient is how much time only an attempt has for which nobody waits.
const patient = 20 * time.Second

// Fits reports whether a text of several parts can be sent as a whole before ctx
// ends; if not, it returns a [*notifiers.SendError] and nothing is to be sent. What
// is cut off between two parts is in doubt, and where a platform cannot be asked, all
// of it may come again. A text that is too long for any attempt is begun by one that
// is patient all the same: there is none to leave it to.
func (p *Limiter) Fits(ctx context.Context, chat string, parts int) error {
	end, ok := ctx.Deadline()
	if !ok || parts <= 1 {
		return nil
	}
	c := p.join(chat)
	defer p.done(c)
	now := time.Now()
	left := end.Sub(now)
	p.mu.Lock()
	atRest := max(c.AtRest(parts), p.account.AtRest(parts))
	// Each part may find all the others in the line of the account.
	busy := max(c.last(parts+c.queue-1, now), p.account.last(parts*p.account.queue, now))
	p.mu.Unlock()
	answers := time.Duration(parts) * eachTakes
	atRest, busy = max(atRest+eachTakes, answers), max(busy+eachTakes, answers)
	switch {
	case atRest > left && left < patient: // another attempt has more time
		return notifiers.NotSentf(0, "%d parts take %s, and there is not as much time now", parts, atRest.Round(time.Second))
	case atRest > left || busy <= left:
		return nil
	}
	return notifiers.NotSentf(busy-left, "%d parts take %s, with what is on its way before them", parts, busy.Round(time.Second))
}
