package llm

import "time"

// A stopwatch does not count time in which the process was stopped or the machine slept.
type stopwatch struct {
	quit  chan struct{}
	total chan time.Duration
}

// If a tick is later than longestTick, the process was not running.
const (
	tick        = time.Second
	longestTick = 5 * time.Second
)

func startStopwatch() *stopwatch {
	s := &stopwatch{make(chan struct{}), make(chan time.Duration, 1)}
	go s.run(time.Now())
	return s
}

func (s *stopwatch) run(last time.Time) {
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	var total time.Duration
	add := func(now time.Time) {
		total += min(now.Sub(last), longestTick)
		last = now
	}
	for {
		select {
		case <-ticker.C:
			add(time.Now())
		case <-s.quit:
			add(time.Now())
			s.total <- total
			return
		}
	}
}

// stop may be called only once.
func (s *stopwatch) stop() time.Duration {
	close(s.quit)
	return <-s.total
}
