package telegram

import (
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"
)

// A Pace is how far messages are apart. Its zero value is what Telegram asks for
// (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this):
// one a second to a chat, 20 a minute to a group, 30 a second altogether. Each is
// a little more here, for messages that travel at different speeds.
type Pace struct {
	Chat  time.Duration // default 1.05 s
	Group time.Duration // default 3.1 s, of which 20 may come at once
	All   time.Duration // default 34 ms
}

// mostChats is how many chats are measured; those at rest are forgotten first.
const mostChats = 10_000

type pacer struct {
	pace  Pace
	all   *rate.Limiter
	mu    sync.Mutex
	chats map[int64][]*rate.Limiter
}

func newPacer(p Pace) *pacer {
	def := func(d *time.Duration, to time.Duration) {
		if *d == 0 {
			*d = to
		}
	}
	def(&p.Chat, 1050*time.Millisecond)
	def(&p.Group, 3100*time.Millisecond)
	def(&p.All, 34*time.Millisecond)
	return &pacer{pace: p, all: rate.NewLimiter(rate.Every(p.All), 1), chats: map[int64][]*rate.Limiter{}}
}

// wait waits for a message's turn. If that is later than ctx allows, the message
// is not sent and has not used up anything.
func (p *pacer) wait(ctx context.Context, chat int64) error {
	now, longest := time.Now(), time.Duration(0)
	p.mu.Lock()
	var taken []*rate.Reservation
	for _, l := range append([]*rate.Limiter{p.all}, p.limiters(chat)...) {
		r := l.ReserveN(now, 1)
		taken = append(taken, r)
		longest = max(longest, r.DelayFrom(now))
	}
	p.mu.Unlock()
	giveBack := func() {
		for _, r := range taken {
			r.CancelAt(now)
		}
	}
	if end, ok := ctx.Deadline(); ok && now.Add(longest).After(end) {
		giveBack()
		return notSent(longest, "as many messages as Telegram permits are on their way: again in %s", longest.Round(time.Millisecond))
	}
	timer := time.NewTimer(longest)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		giveBack()
		return notSent(0, "given up before it was sent")
	}
}

func (p *pacer) limiters(chat int64) []*rate.Limiter {
	if len(p.chats) >= mostChats {
		for id, list := range p.chats {
			rests := true
			for _, l := range list {
				rests = rests && l.Tokens() >= float64(l.Burst())
			}
			if rests {
				delete(p.chats, id)
			}
		}
	}
	list := p.chats[chat]
	if list == nil {
		list = []*rate.Limiter{rate.NewLimiter(rate.Every(p.pace.Chat), 1)}
		if chat < 0 {
			list = append(list, rate.NewLimiter(rate.Every(p.pace.Group), 20))
		}
		p.chats[chat] = list
	}
	return list
}
