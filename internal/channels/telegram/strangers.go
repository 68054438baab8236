package telegram

import (
	"log/slog"
	"sync"
	"time"
)

const reportEvery = time.Minute

// strangers are those who call the webhook without its secret. Whoever knows the
// address can, as often as they like: each is counted, and now and then it is said.
type strangers struct {
	mu       sync.Mutex
	count    int64
	reported time.Time // when it was, last
}

func (s *strangers) turnAway(log *slog.Logger) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count++
	if now := time.Now(); s.reported.IsZero() || now.Sub(s.reported) >= reportEvery {
		s.reported = now
		log.Warn("updates without the secret of the webhook are refused; said once a minute at most", "refused", s.count)
	}
}

// Refused is how many calls of the webhook came without its secret.
func (c *Channel) Refused() int64 {
	c.strangers.mu.Lock()
	defer c.strangers.mu.Unlock()
	return c.strangers.count
}
