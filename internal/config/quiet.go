package config

import (
	"time"

	"errand/internal/when"
)

// QuietHours are when errand holds back from people what can wait, of those who have set
// none themselves.
type QuietHours struct {
	Default  when.Hours    // by the clocks of TimeZone; zero: none
	AwakeFor time.Duration // so long after somebody wrote in a chat nothing is held back there
}

func (l *loader) quietHours() {
	q := l.file.QuietHours
	hours, _ := when.ParseHours(q.Default) // checked
	l.cfg.QuietHours = QuietHours{Default: hours, AwakeFor: q.AwakeFor}
}
