package llm

import "time"

// A stopwatch measures for how long this process has been at something. Time in
// which it did not run (it was stopped, or its machine slept) does not count.
type stopwatch struct {
	quit  chan struct{}
	total chan time.Duration
}

// The stopwatch looks at the clock every tick. A tick that comes later than
// longestTick was missed: the process did not run.
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

// stop ends the measurement and returns it. It is called once.
func (s *stopwatch) stop() time.Duration {
	close(s.quit)
	return <-s.total
}
