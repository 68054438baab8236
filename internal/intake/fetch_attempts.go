package intake

import (
	"sync"
	"time"
)

// fetchAttempts counts the failed fetches of messages, and their time. A restart resets it.
type fetchAttempts struct {
	mu        sync.Mutex
	byMessage map[string]attempts
}

type attempts struct {
	failed int
	took   time.Duration
}

const mostAttempts = 1000

func (t *fetchAttempts) retry(key string) bool {
	return t.change(key, func(a *attempts) { a.failed++ }).failed < mostFetches
}

func (t *fetchAttempts) addTime(key string, d time.Duration) {
	t.change(key, func(a *attempts) { a.took += d })
}

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
