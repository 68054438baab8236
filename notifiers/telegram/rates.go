package telegram

import (
	"cmp"
	"strings"
	"time"

	"errand/notifiers/ratelimit"
)

// A Rates is how far messages are apart. Its zero value is what Telegram asks for
// (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this):
// one a second to a chat, 20 a minute to a group, 30 a second altogether. Each is
// a little more here, for messages that travel at different speeds.
type Rates struct {
	Chat  time.Duration // default 1.05 s
	Group time.Duration // default 3.1 s, of which 20 may come at once
	All   time.Duration // default 34 ms
}

func newLimiter(p Rates) *ratelimit.Limiter {
	chat := ratelimit.Limit{Every: cmp.Or(p.Chat, 1050*time.Millisecond)}
	group := ratelimit.Limit{Every: cmp.Or(p.Group, 3100*time.Millisecond), Burst: 20}
	return ratelimit.New(ratelimit.Options{
		Platform: "Telegram", Account: []ratelimit.Limit{{Every: cmp.Or(p.All, 34*time.Millisecond)}},
		Chat: func(id string) []ratelimit.Limit {
			if strings.HasPrefix(id, "-") { // a group
				return []ratelimit.Limit{chat, group}
			}
			return []ratelimit.Limit{chat}
		},
	})
}
