package telegram

import (
	"log/slog"
	"sync"
	"time"
)

const reportEvery = time.Minute

// strangers counts calls of the webhook without its secret, and logs them occasionally.
type strangers struct {
	mu       sync.Mutex
	count    int64
	reported time.Time // time of the last log entry
}

func (s *strangers) turnAway(log *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	if now := time.Now(); s.reported.IsZero() || now.Sub(s.reported) >= reportEvery {
		s.reported = now
		log.Warn("refused updates without the webhook's secret (logged at most once a minute)", "refused", s.count)
	}
}

// Refused returns how many calls of the webhook came without its secret.
func (c *Channel) Refused() int64 {
	c.strangers.mu.Lock()
	defer c.strangers.mu.Unlock()
	return c.strangers.count
}
