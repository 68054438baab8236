package telemetry

import "sync"

// maxSeries limits the series of a metric. Further combinations of labels count in one series with
// the value "other".
const maxSeries = 500

const other = "other"

// A key has the values of a metric's labels; labels that the metric lacks are empty.
type key [len(temporalLabels)]string

func keyOf(values []string) (k key) {
	copy(k[:], values)
	return k
}

// series are the series of one metric by label values. The zero value with create set is ready for
// use.
type series[T any] struct {
	labels int // number of labels
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

// add creates a series. It is a separate function because it slices k, which would otherwise move k
// to the heap on every count.
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

func (s *series[T]) each(f func(T)) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, one := range s.at {
		f(one)
	}
}
