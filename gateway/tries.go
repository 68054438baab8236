package gateway

import "sync"

// tries counts how often messages could not be had whole. It is not kept over a
// restart: then they are tried as often once more.
type tries struct {
	mu     sync.Mutex
	counts map[string]int
}

// mostTries is how many messages are counted at once.
const mostTries = 1000

// again counts a failure, and reports whether it is worth another attempt.
func (t *tries) again(key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.counts == nil || len(t.counts) >= mostTries {
		t.counts = map[string]int{}
	}
	t.counts[key]++
	return t.counts[key] < mostFetches
}

func (t *tries) forget(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.counts, key)
}
