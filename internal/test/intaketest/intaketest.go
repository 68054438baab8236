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
	now := d.Now
	if now == nil {
		now = time.Now
	}
	limiter := intake.NewLimiter(d.Rates, d.RateRows, d.Access, now, d.Logger)
	d.Count = limiter.Count
	var h House
	d.NewIntake = func(s *service.Service) service.Intake {
		h.Commands = commands.New(commands.Deps{Env: &s.Env, Runner: s.Runner, Internal: s.Internal, Logins: s.Logins,
			Roster: s.Roster, RosterOf: s.RosterOf, TeamMessages: s.Team.TeamMessages(), Count: d.Counter})
		h.Intake = intake.New(intake.Deps{Env: &s.Env, Runner: s.Runner, Commands: h.Commands, Internal: s.Internal, Sessions: s.Dispatch,
			Roster: s.Roster, Access: s.Access, Accounts: s.Accounts, MessageBytes: s.MessageBytes}, limiter, d.Options)
		return h.Intake
	}
	var err error
	if h.Service, err = service.New(d.Deps); err != nil {
		t.Fatal(err)
	}
	h.PeopleCalls = servicetest.PeopleCalls{Operations: h.Runner}
	return h
}
