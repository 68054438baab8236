package web

import (
	"sync"

	"errand"
	"errand/internal/service"
)

// mostStreams is how many event streams one person may read at a time: some
// browsers with some tabs each.
const mostStreams = 32

type streams struct {
	mu   sync.Mutex
	open map[errand.PersonID]int
}

// begin counts one more, until end is called.
func (s *streams) begin(person errand.PersonID) (end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[person] >= mostStreams {
		return nil, service.Refuse(service.KindTooMany, "streams", "refusal.streams")
	}
	if s.open == nil {
		s.open = map[errand.PersonID]int{}
	}
	s.open[person]++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.open[person]--; s.open[person] == 0 {
			delete(s.open, person)
		}
	}, nil
}
