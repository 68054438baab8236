package intake

import (
	"sync"
	"time"
)

// tries counts how often messages could not be had whole, and how long that took
// in all. It is not kept over a restart: then they are tried as often once more.
type tries struct {
	mu   sync.Mutex
	made map[string]attempts
}

type attempts struct {
	failed int
	took   time.Duration
}

// mostTries is how many messages are counted at once.
const mostTries = 1000

// again counts a failure, and reports whether it is worth another attempt.
func (t *tries) again(key string) bool {
	return t.change(key, func(a *attempts) { a.failed++ }).failed < mostFetches
}

// spend adds to how long a message was waited for.
func (t *tries) spend(key string, d time.Duration) {
	t.change(key, func(a *attempts) { a.took += d })
}

// took is how long a message was waited for until now.
func (t *tries) took(key string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.made[key].took
}

func (t *tries) change(key string, do func(*attempts)) attempts {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.made[key]; t.made == nil || !known && len(t.made) >= mostTries {
		t.made = map[string]attempts{}
	}
	a := t.made[key]
	do(&a)
	t.made[key] = a
	return a
}

// forget is for a message that was taken.
func (t *tries) forget(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.made, key)
}
