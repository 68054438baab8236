// Package intaketest stands up the whole way in for tests: a service, its commands and
// an intake.
package intaketest

import (
	"testing"
	"time"

	"errand/internal/commands"
	"errand/internal/intake"
	"errand/internal/service"
	"errand/internal/telemetry"
	"errand/internal/test/servicetest"
)

// Deps are what a House works with: those of a service, and the options of an intake.
type Deps struct {
	service.Deps
	intake.Options
	Rates   intake.Rates
	Counter *telemetry.Counter // of commands; nil: nobody counts
}

// A House takes in messages, and does what people and programs ask for.
type House struct {
	*service.Service
	*intake.Intake
	servicetest.PeopleCalls
	Commands *commands.Runner
}

// New stands a house up.
func New(t testing.TB, d Deps) House {
	t.Helper()
	if d.Now == nil {
		d.Now = time.Now
	}
	limiter := intake.NewLimiter(d.Rates, d.RateRows, d.Access, d.Now, d.Logger)
	var h House
	d.NewIntake = func(s *service.Service) service.Intake {
		h.Commands = commands.New(commands.DepsOf(s, d.Counter))
		h.Intake = intake.New(intake.DepsOf(s, h.Commands), limiter, d.Options)
		return h.Intake
	}
	d.Runner = service.NewRunner(d.Env, limiter.Count)
	var err error
	if h.Service, err = service.New(d.Deps); err != nil {
		t.Fatal(err)
	}
	h.PeopleCalls = servicetest.PeopleCalls{Operations: h.Runner}
	return h
}
