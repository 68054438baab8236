package events

import (
	"sync"

	"errand/internal/core"
)

// Lists is a set of changed lists.
type Lists uint8

// The lists that pages keep up to date.
const (
	Tasks Lists = 1 << iota
	Questions
	Deliveries
	AllLists = Tasks | Questions | Deliveries
)

// A listFollower merges changes that were not read yet, so that a slow reader loses none.
type listFollower struct {
	person  core.PersonID // empty: every person
	mu      sync.Mutex
	changed chan Lists // holds one
}

func (f *listFollower) offer(lists Lists) {
	f.mu.Lock()
	defer f.mu.Unlock()
	select {
	case before := <-f.changed:
		lists |= before
	default:
	}
	f.changed <- lists
}

// SubscribeLists implements [Bus].
func (l *Local) SubscribeLists(person core.PersonID) (changed <-chan Lists, cancel func()) {
	f := &listFollower{person: person, changed: make(chan Lists, 1)}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.followers[f] = struct{}{}
	return f.changed, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.followers, f)
	}
}

// ChangeLists implements [Bus].
func (l *Local) ChangeLists(person core.PersonID, lists Lists) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	l.changeListsLocked(person, lists)
}

func (l *Local) changeListsLocked(person core.PersonID, lists Lists) {
	if lists == 0 {
		return
	}
	for f := range l.followers {
		if person == "" || f.person == "" || f.person == person {
			f.offer(lists)
		}
	}
}

// ChangeLists implements [Bus].
func (s *Shared) ChangeLists(person core.PersonID, lists Lists) {
	if lists == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changeListsLocked(person, lists)
	s.out.add(message{Lists: lists, Person: person})
	s.wakeSender()
}
