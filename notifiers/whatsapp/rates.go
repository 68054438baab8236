package whatsapp

import (
	"cmp"
	"time"

	"errand/notifiers"
)

// Rates are minimum times between messages. WhatsApp publishes no limits, and bans numbers that
// write like machines. The zero value means rates that have worked in practice.
type Rates struct {
	Chat time.Duration // default 1 s, with a burst of 3
	All  time.Duration // default 100 ms
}

func newLimiter(p Rates) *notifiers.AccountLimiter {
	chat := notifiers.RateLimit{Every: cmp.Or(p.Chat, time.Second), Burst: 3}
	return notifiers.NewAccountLimiter(notifiers.AccountLimits{
		Platform: "WhatsApp", Account: notifiers.RateLimit{Every: cmp.Or(p.All, 100*time.Millisecond)},
		Chat: func(string) []notifiers.RateLimit { return []notifiers.RateLimit{chat} },
	})
}
