package intake

import (
	"sync"
	"time"
)

// fetchAttempts counts how often messages could not be had whole, and how long that took
// in all. It is not kept over a restart: then they are tried as often once more.
type fetchAttempts struct {
	mu        sync.Mutex
	byMessage map[string]attempts
}

type attempts struct {
	failed int
	took   time.Duration
}

// mostAttempts is how many messages are counted at once.
const mostAttempts = 1000

func (t *fetchAttempts) retry(key string) bool {
	return t.change(key, func(a *attempts) { a.failed++ }).failed < mostFetches
}

func (t *fetchAttempts) addTime(key string, d time.Duration) {
	t.change(key, func(a *attempts) { a.took += d })
}

// time is how long a message was waited for until now.
func (t *fetchAttempts) time(key string) time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byMessage[key].took
}

func (t *fetchAttempts) change(key string, do func(*attempts)) attempts {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, known := t.byMessage[key]; t.byMessage == nil || !known && len(t.byMessage) >= mostAttempts {
		t.byMessage = map[string]attempts{}
	}
	a := t.byMessage[key]
	do(&a)
	t.byMessage[key] = a
	return a
}

func (t *fetchAttempts) forget(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.byMessage, key)
}
