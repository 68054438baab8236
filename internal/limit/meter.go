package limit

import (
	"time"

	"golang.org/x/time/rate"
)

// A Rate is how often something may happen: Burst times at once, and then once in
// Every. Burst 0 means 1; without Every it bounds nothing.
type Rate struct {
	Every time.Duration
	Burst int
}

// A Meter counts what happens towards several rates at once. Its caller has the clock,
// and guards it: it is not safe for concurrent use.
type Meter struct {
	rates []*rate.Limiter
	every time.Duration
}

// NewMeter returns one towards which nothing has been counted.
func NewMeter(rates ...Rate) *Meter {
	m := &Meter{}
	for _, r := range rates {
		if r.Every <= 0 {
			continue
		}
		m.rates = append(m.rates, rate.NewLimiter(rate.Every(r.Every), max(1, r.Burst)))
		if r.Burst <= 1 { // with a burst, nobody can say
			m.every = max(m.every, r.Every)
		}
	}
	return m
}

// Every is how far apart two are that follow each other, by the slowest rate that has
// no burst.
func (m *Meter) Every() time.Duration { return m.every }

const tolerance = 1e-6

// Wait returns how long it is until one more may happen.
func (m *Meter) Wait(now time.Time) (wait time.Duration) {
	for _, r := range m.rates {
		if tokens := r.TokensAt(now); tokens < 1-tolerance {
			wait = max(wait, earn(1-tokens, r)+1)
		}
	}
	return wait
}

// WaitFor returns how long it takes until so many more have happened.
func (m *Meter) WaitFor(n int, now time.Time) (wait time.Duration) {
	for _, r := range m.rates {
		wait = max(wait, earn(float64(n)-r.TokensAt(now), r))
	}
	return wait
}

// AtRest returns how long that takes where nothing was counted of late.
func (m *Meter) AtRest(n int) (wait time.Duration) {
	for _, r := range m.rates {
		wait = max(wait, earn(float64(n-r.Burst()), r))
	}
	return wait
}

// Take counts one, whether it may happen or not.
func (m *Meter) Take(now time.Time) {
	for _, r := range m.rates {
		r.ReserveN(now, 1)
	}
}

// Allow counts one, if it may happen.
func (m *Meter) Allow(now time.Time) bool {
	if m.Wait(now) > 0 {
		return false
	}
	m.Take(now)
	return true
}

// Rested reports whether nothing of late is held against it.
func (m *Meter) Rested(now time.Time) bool {
	for _, r := range m.rates {
		if r.TokensAt(now) < float64(r.Burst())-tolerance {
			return false
		}
	}
	return true
}

// earn is how long it takes until a rate permits so many.
func earn(tokens float64, r *rate.Limiter) time.Duration {
	return time.Duration(tokens / float64(r.Limit()) * float64(time.Second))
}
