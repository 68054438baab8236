package service

import (
	"sync"

	"errand"
)

// mostWaiting is how many calls of a registered agent wait for a request at once: one, and
// those that its program has left behind.
const mostWaiting = 4

type waitingAgents struct {
	mu    sync.Mutex
	calls map[waitingAgent]int
}

type waitingAgent struct {
	person errand.PersonID
	name   errand.AgentName
}

// enter counts one more, unless as many wait as may.
func (w *waitingAgents) enter(agent waitingAgent) (leave func(), ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.calls[agent] >= mostWaiting {
		return nil, false
	}
	if w.calls == nil {
		w.calls = map[waitingAgent]int{}
	}
	w.calls[agent]++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.calls[agent]--; w.calls[agent] == 0 {
			delete(w.calls, agent)
		}
	}, true
}
