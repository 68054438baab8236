package metrics

import "sync"

// maxSeries is how many series a metric has, however many values its labels are given:
// what comes beyond is counted in one whose labels say "other".
const maxSeries = 500

const other = "other"

// A key is the values of a metric's labels; those it does not have are empty.
type key [len(temporalLabels)]string

func keyOf(values []string) (k key) {
	copy(k[:], values)
	return k
}

// series are the series of one metric, by the values of its labels. The zero value
// with create is ready for use.
type series[T any] struct {
	labels int // how many the metric has
	create func(values []string) T

	mu sync.RWMutex
	at map[key]T
}

func (s *series[T]) of(k key) T {
	s.mu.RLock()
	one, ok := s.at[k]
	s.mu.RUnlock()
	if ok {
		return one
	}
	return s.add(k)
}

// add makes a series. It is apart so that k, which is read through a slice here, is not
// on the heap whenever something is counted.
//
//go:noinline
func (s *series[T]) add(k key) T {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.at) >= maxSeries {
		for i := range k {
			if i < s.labels {
				k[i] = other
			}
		}
	}
	if one, ok := s.at[k]; ok {
		return one
	}
	if s.at == nil {
		s.at = map[key]T{}
	}
	one := s.create(k[:s.labels])
	s.at[k] = one
	return one
}

// each calls f with every series there is.
func (s *series[T]) each(f func(T)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, one := range s.at {
		f(one)
	}
}
