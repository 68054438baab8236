package whatsapp

import (
	"cmp"
	"time"

	"errand/notifiers/ratelimit"
)

// A Rates is how far messages are apart. WhatsApp publishes no limits, and bans
// numbers that write like machines; its zero value is what people have got along
// with.
type Rates struct {
	Chat time.Duration // default 1 s, of which 3 may come at once
	All  time.Duration // default 100 ms
}

func newLimiter(p Rates) *ratelimit.Limiter {
	chat := ratelimit.Limit{Every: cmp.Or(p.Chat, time.Second), Burst: 3}
	return ratelimit.New(ratelimit.Options{
		Platform: "WhatsApp", Account: []ratelimit.Limit{{Every: cmp.Or(p.All, 100*time.Millisecond)}},
		Chat: func(string) []ratelimit.Limit { return []ratelimit.Limit{chat} },
	})
}
