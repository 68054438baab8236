package telegram

import (
	"cmp"
	"strings"
	"time"

	"errand/notifiers"
)

// Rates are minimum times between messages. The zero value means the limits that Telegram asks for
// (https://core.telegram.org/bots/faq#my-bot-is-hitting-limits-how-do-i-avoid-this): one message a
// second to a chat, 20 a minute to a group, 30 a second in total. Each default is slightly longer,
// because messages travel at different speeds.
type Rates struct {
	Chat  time.Duration // default 1.05 s
	Group time.Duration // default 3.1 s, with a burst of 20
	All   time.Duration // default 34 ms
}

func newLimiter(p Rates) *notifiers.AccountLimiter {
	chat := notifiers.RateLimit{Every: cmp.Or(p.Chat, 1050*time.Millisecond)}
	group := notifiers.RateLimit{Every: cmp.Or(p.Group, 3100*time.Millisecond), Burst: 20}
	return notifiers.NewAccountLimiter(notifiers.AccountLimits{
		Platform: "Telegram", Account: notifiers.RateLimit{Every: cmp.Or(p.All, 34*time.Millisecond)},
		Chat: func(id string) []notifiers.RateLimit {
			if strings.HasPrefix(id, "-") { // a group
				return []notifiers.RateLimit{chat, group}
			}
			return []notifiers.RateLimit{chat}
		},
	})
}
