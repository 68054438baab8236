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

func (m *mapping) quietHours(q *QuietHours) {
	var text string
	if m.text("default", &text) {
		hours, ok := when.ParseHours(text)
		if !ok {
			m.fault(m.lineOf("default"), "default", "%q are no hours: write for example \"22:00-07:00\", or off", text)
		}
		q.Default = hours
	}
	m.duration("awake_for", &q.AwakeFor, time.Minute)
}
