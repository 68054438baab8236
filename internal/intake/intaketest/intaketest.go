// Package intaketest stands up the whole way in for tests: a service, its commands and
// an intake.
package intaketest

import (
	"testing"

	"errand/internal/commands"
	"errand/internal/intake"
	"errand/internal/metrics"
	"errand/internal/service"
)

// Deps are what a House works with: those of a service, and the options of an intake.
type Deps struct {
	service.Deps
	intake.Options
	Counter *metrics.Counter // of commands; nil: nobody counts
}

// A House takes in messages, and does what people and programs ask for.
type House struct {
	*service.Service
	*intake.Intake
	Commands *commands.Runner
}

// New stands a house up.
func New(t testing.TB, d Deps) House {
	t.Helper()
	s, err := service.New(d.Deps)
	if err != nil {
		t.Fatal(err)
	}
	c := commands.New(s, d.Counter)
	return House{s, intake.New(s, c, d.Options), c}
}
