package events

import (
	"sync"
	"sync/atomic"

	"errand"
)

// Local is the bus of one process.
type Local struct {
	mu        sync.RWMutex
	byKey     index[errand.SessionKey]
	byTask    index[errand.TaskID]
	watches   map[*subscriber]struct{}
	followers map[*listFollower]struct{}
	open      map[errand.SessionKey]*inProgress
	lost      atomic.Uint64
}

// An index finds the subscribers of what an event is about.
type index[K comparable] map[K]map[*subscriber]struct{}

// NewLocal makes a bus without subscribers.
func NewLocal() *Local {
	return &Local{
		byKey: index[errand.SessionKey]{}, byTask: index[errand.TaskID]{}, watches: map[*subscriber]struct{}{},
		followers: map[*listFollower]struct{}{}, open: map[errand.SessionKey]*inProgress{},
	}
}

// Subscribe is as of a [Bus].
func (l *Local) Subscribe(key errand.SessionKey) (events <-chan errand.Event, cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return subscribe(l, l.byKey, key, newSubscriber(subscriberBuffer, &l.lost))
}

// SubscribeTask is as of a [Bus].
func (l *Local) SubscribeTask(id errand.TaskID) (events <-chan errand.Event, cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return subscribe(l, l.byTask, id, newSubscriber(taskBuffer, &l.lost))
}

// Join is as of a [Bus].
func (l *Local) Join(key errand.SessionKey) (events <-chan errand.Event, cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sub := newSubscriber(subscriberBuffer, &l.lost)
	for _, e := range l.soFar(key) {
		sub.offer(e)
	}
	return subscribe(l, l.byKey, key, sub)
}

// Watch is as of a [Bus].
func (l *Local) Watch() (events <-chan errand.Event, cancel func()) {
	sub := newSubscriber(watcherBuffer, &l.lost)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.watches[sub] = struct{}{}
	return sub.events, func() {
		l.mu.Lock()
		delete(l.watches, sub)
		l.mu.Unlock()
		sub.close()
	}
}

// Watchers returns how many watch all conversations.
func (l *Local) Watchers() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.watches)
}

// Stats is as of a [Bus]: there are no other processes.
func (l *Local) Stats() Stats {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return Stats{Subscribers: len(l.watches) + len(l.followers) + l.byKey.subscribers() + l.byTask.subscribers(), Lost: l.lost.Load()}
}

func (in index[K]) subscribers() (n int) {
	for _, subs := range in {
		n += len(subs)
	}
	return n
}

// Live is as of a [Bus]: nobody else publishes.
func (l *Local) Live() bool { return true }

// Publish is as of a [Bus].
func (l *Local) Publish(e errand.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.publishLocked(e)
}

func (l *Local) publishLocked(e errand.Event) {
	if isDurable(e) || e.Type == errand.EventStep {
		for sub := range l.watches {
			sub.offer(e)
		}
	}
	l.pass(e, here)
}

// pass hands on an event that a process has published.
func (l *Local) pass(e errand.Event, from process) {
	if l.isOverhauled(e, from) {
		return
	}
	l.note(e, from)
	for sub := range l.byKey[e.Key] {
		sub.offer(e)
	}
	for sub := range l.byTask[e.Task] {
		sub.offer(e)
	}
}

// isOverhauled reports whether e is of a text that another process has begun anew: that
// one was the last to say that it is at the step.
func (l *Local) isOverhauled(e errand.Event, from process) bool {
	o := l.open[e.Key]
	if o == nil || e.Type != errand.EventDelta && e.Type != errand.EventReset {
		return false
	}
	for _, s := range o.steps {
		if s.Task == e.Task && s.Session == e.Session && s.Turn == e.Turn {
			return s.from != from
		}
	}
	return false
}

func (l *Local) lag() {
	l.changeListsLocked("", AllLists)
	for key, subs := range l.byKey {
		for sub := range subs {
			sub.lag(key)
		}
	}
	for _, subs := range l.byTask {
		for sub := range subs {
			sub.lag("")
		}
	}
}

// subscribe has sub offered what is about key, until cancel is called.
func subscribe[K comparable](l *Local, in index[K], key K, sub *subscriber) (events <-chan errand.Event, cancel func()) {
	if in[key] == nil {
		in[key] = map[*subscriber]struct{}{}
	}
	in[key][sub] = struct{}{}
	return sub.events, func() {
		l.mu.Lock()
		delete(in[key], sub)
		if len(in[key]) == 0 {
			delete(in, key)
		}
		l.mu.Unlock()
		sub.close()
	}
}
