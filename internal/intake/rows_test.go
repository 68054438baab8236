package intake_test

import (
	"testing"

	"errand"
	"errand/internal/intake"
	"errand/internal/service"
)

// TestRatesOfTheInstallation proves that a person has one rate, whichever worker takes
// their messages.
func TestRatesOfTheInstallation(t *testing.T) {
	d := newDoor(t, nil)
	o := intake.Options{Rates: intake.Rates{Person: 12, Channel: 100}, RateRows: d.store}
	workers := []*intake.Intake{intake.New(d.Service, d.Commands, o), intake.New(d.Service, d.Commands, o)}
	ada := service.Actor{Person: "ada", Role: errand.Member}
	passed := 0
	for n := range 40 {
		if workers[n%2].AllowMessage(ada, errand.WebRoute("main").At()) == nil {
			passed++
		}
	}
	if passed != 12 {
		t.Errorf("of two workers ada is let through %d times, want 12", passed)
	}
	if err := workers[1].AllowMessage(service.Actor{Person: "bob", Role: errand.Member}, errand.WebRoute("main").At()); err != nil {
		t.Errorf("another: %v", err)
	}
}
