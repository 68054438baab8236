package web

import (
	"sync"

	"errand/internal/core"
	"errand/internal/service"
)

// mostStreams is enough for several browsers with several tabs each.
const mostStreams = 32

type streams struct {
	mu   sync.Mutex
	open map[core.PersonID]int
}

func (s *streams) begin(person core.PersonID) (end func(), err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open[person] >= mostStreams {
		return nil, service.Refuse(service.KindTooMany, "streams", "refusal.streams")
	}
	if s.open == nil {
		s.open = map[core.PersonID]int{}
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
