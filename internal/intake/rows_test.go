package intake_test

import (
	"testing"

	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/intake"
)

// TestRatesOfTheInstallation proves that a person has one rate, whichever worker takes
// their messages.
func TestRatesOfTheInstallation(t *testing.T) {
	d := newDoor(t, nil)
	limiter := func() *intake.Limiter {
		return intake.NewLimiter(intake.Rates{Person: 12, Channel: 100}, d.store, d.Access, d.Now, d.Logger)
	}
	workers := []*intake.Limiter{limiter(), limiter()}
	ada := actor.Actor{Person: "ada", Role: core.Member}
	passed := 0
	for n := range 40 {
		if workers[n%2].AllowMessage(ada, core.WebRoute("main").At()) == nil {
			passed++
		}
	}
	if passed != 12 {
		t.Errorf("of two workers ada is let through %d times, want 12", passed)
	}
	if err := workers[1].AllowMessage(actor.Actor{Person: "bob", Role: core.Member}, core.WebRoute("main").At()); err != nil {
		t.Errorf("another: %v", err)
	}
}
