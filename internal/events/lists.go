package events

import (
	"sync"

	"errand"
)

// Lists say which of the lists that a person looks at are not what they were.
type Lists uint8

// The lists that change while somebody looks at them.
const (
	Tasks Lists = 1 << iota
	Questions
	Deliveries
	AllLists = Tasks | Questions | Deliveries
)

// A listFollower is told of lists that have changed. What it has not taken yet is one
// notice, which grows: it loses nothing, however slow it is.
type listFollower struct {
	person  errand.PersonID // empty: everybody's
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

// SubscribeLists is as of a [Bus].
func (l *Local) SubscribeLists(person errand.PersonID) (changed <-chan Lists, cancel func()) {
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

// ChangeLists is as of a [Bus].
func (l *Local) ChangeLists(person errand.PersonID, lists Lists) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	l.changeListsLocked(person, lists)
}

func (l *Local) changeListsLocked(person errand.PersonID, lists Lists) {
	if lists == 0 {
		return
	}
	for f := range l.followers {
		if person == "" || f.person == "" || f.person == person {
			f.offer(lists)
		}
	}
}

// ChangeLists is as of a [Bus].
func (s *Shared) ChangeLists(person errand.PersonID, lists Lists) {
	if lists == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.changeListsLocked(person, lists)
	s.out.add(message{Lists: lists, Person: person})
	s.wakeSender()
}
