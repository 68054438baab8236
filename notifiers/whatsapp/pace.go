package whatsapp

import (
	"cmp"
	"time"

	"errand/notifiers/pace"
)

// A Pace is how far messages are apart. WhatsApp publishes no limits, and bans
// numbers that write like machines; its zero value is what people have got along
// with.
type Pace struct {
	Chat time.Duration // default 1 s, of which 3 may come at once
	All  time.Duration // default 100 ms
}

func newPacer(p Pace) *pace.Pacer {
	chat := pace.Limit{Every: cmp.Or(p.Chat, time.Second), Burst: 3}
	return pace.New(pace.Options{
		Platform: "WhatsApp", Account: []pace.Limit{{Every: cmp.Or(p.All, 100*time.Millisecond)}},
		Chat: func(string) []pace.Limit { return []pace.Limit{chat} },
	})
}
