package events

import (
	"sync"
	"sync/atomic"

	"errand/internal/core"
)

// Local is the bus of one process.
type Local struct {
	mu        sync.RWMutex
	byKey     index[core.SessionKey]
	byTask    index[core.TaskID]
	watches   map[*subscriber]struct{}
	followers map[*listFollower]struct{}
	open      map[core.SessionKey]*inProgress
	lost      atomic.Uint64
}

type index[K comparable] map[K]map[*subscriber]struct{}

func NewLocal() *Local {
	return &Local{
		byKey: index[core.SessionKey]{}, byTask: index[core.TaskID]{}, watches: map[*subscriber]struct{}{},
		followers: map[*listFollower]struct{}{}, open: map[core.SessionKey]*inProgress{},
	}
}

// Subscribe implements [Bus].
func (l *Local) Subscribe(key core.SessionKey) (events <-chan core.Event, cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return subscribe(l, l.byKey, key, newSubscriber(subscriberBuffer, &l.lost))
}

// SubscribeTask implements [Bus].
func (l *Local) SubscribeTask(id core.TaskID) (events <-chan core.Event, cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return subscribe(l, l.byTask, id, newSubscriber(taskBuffer, &l.lost))
}

// Join implements [Bus].
func (l *Local) Join(key core.SessionKey) (events <-chan core.Event, cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sub := newSubscriber(subscriberBuffer, &l.lost)
	for _, e := range l.soFar(key) {
		sub.offer(e)
	}
	return subscribe(l, l.byKey, key, sub)
}

// Watch implements [Bus].
func (l *Local) Watch() (events <-chan core.Event, cancel func()) {
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

// Watchers returns the number of subscribers of [Local.Watch].
func (l *Local) Watchers() int {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return len(l.watches)
}

// Stats implements [Bus]. There are no other processes.
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

// Live implements [Bus]. No other process publishes.
func (l *Local) Live() bool { return true }

// Publish implements [Bus].
func (l *Local) Publish(e core.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.publishLocked(e)
}

func (l *Local) publishLocked(e core.Event) {
	if isDurable(e) || e.Type == core.EventStep {
		for sub := range l.watches {
			sub.offer(e)
		}
	}
	l.pass(e, here)
}

func (l *Local) pass(e core.Event, from process) {
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

// isOverhauled reports whether e belongs to a text that another process has started again: that
// process was the last to announce the step.
func (l *Local) isOverhauled(e core.Event, from process) bool {
	o := l.open[e.Key]
	if o == nil || e.Type != core.EventDelta && e.Type != core.EventReset {
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

func subscribe[K comparable](l *Local, in index[K], key K, sub *subscriber) (events <-chan core.Event, cancel func()) {
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
