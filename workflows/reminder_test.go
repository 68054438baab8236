package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/testsuite"
	"go.temporal.io/sdk/workflow"

	"errand/internal/core"
	"errand/internal/temporal/wire"
	"errand/workflows"
)

// A calendar stands in for the store: a reminder that comes every step, a number
// of times.
type calendar struct {
	env      *testsuite.TestWorkflowEnvironment
	next     time.Time
	step     time.Duration
	left     int
	fired    []time.Time // when it was fired
	canceled bool
}

func (c *calendar) now() wire.ReminderTime {
	switch {
	case c.canceled:
		return wire.ReminderTime{State: core.ReminderCanceled}
	case c.left == 0:
		return wire.ReminderTime{State: core.ReminderDone}
	}
	return wire.ReminderTime{State: core.ReminderActive, Next: c.next}
}

func (c *calendar) register() {
	name := func(n string) activity.RegisterOptions { return activity.RegisterOptions{Name: n} }
	c.env.RegisterActivityWithOptions(func(context.Context, wire.NextReminderInput) (wire.ReminderTime, error) {
		return c.now(), nil
	}, name("NextReminder"))
	c.env.RegisterActivityWithOptions(func(_ context.Context, in wire.FireReminderInput) (wire.ReminderTime, error) {
		if !in.Due.Equal(c.next) {
			return wire.ReminderTime{}, errors.New("another time than the next one")
		}
		c.fired = append(c.fired, c.env.Now())
		c.left--
		for !c.next.After(c.env.Now()) {
			c.next = c.next.Add(c.step)
		}
		return c.now(), nil
	}, name("FireReminder"))
	c.env.RegisterActivityWithOptions(func(context.Context, wire.NextReminderInput) (wire.ReminderTime, error) {
		c.canceled = true
		return c.now(), nil
	}, name("CancelReminder"))
}

// TestReminder proves that a reminder comes at its times and at no other, and
// ends when it is over or canceled.
func TestReminder(t *testing.T) {
	const day = 24 * time.Hour
	tests := []struct {
		name   string
		first  time.Duration // from now
		left   int
		during func(env *testsuite.TestWorkflowEnvironment)
		fires  int
		state  core.ReminderState
	}{
		{name: "once", first: time.Hour, left: 1, fires: 1, state: core.ReminderDone},
		{name: "every day of a year", first: time.Hour, left: 365, fires: 365, state: core.ReminderDone},
		{name: "in four years", first: 4 * 365 * day, left: 1, fires: 1, state: core.ReminderDone},
		{name: "missed in an outage", first: -10 * day, left: 2, fires: 2, state: core.ReminderDone},
		{name: "over already", left: 0, state: core.ReminderDone},
		{name: "canceled by signal", first: time.Hour, left: 100, fires: 2, state: core.ReminderCanceled,
			during: func(env *testsuite.TestWorkflowEnvironment) {
				env.RegisterDelayedCallback(func() { env.SignalWorkflow(wire.SignalCancel, "enough") }, 2*day)
			}},
		{name: "canceled from Temporal", first: time.Hour, left: 100, fires: 2, state: core.ReminderCanceled,
			during: func(env *testsuite.TestWorkflowEnvironment) { env.RegisterDelayedCallback(env.CancelWorkflow, 2*day) }},
		{name: "continued as new", first: time.Hour, left: 100, fires: 1, state: core.ReminderActive,
			during: func(env *testsuite.TestWorkflowEnvironment) { env.SetContinueAsNewSuggested(true) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var suite testsuite.WorkflowTestSuite
			env := suite.NewTestWorkflowEnvironment()
			workflows.Register(env)
			c := &calendar{env: env, next: env.Now().Add(test.first), step: day, left: test.left}
			c.register()
			if test.during != nil {
				test.during(env)
			}
			begun := env.Now()
			env.ExecuteWorkflow(workflows.Reminder, wire.ReminderInput{Store: "s", ID: "r-7k3m9q2x"})
			if !env.IsWorkflowCompleted() {
				t.Fatal("it did not end")
			}
			var again *workflow.ContinueAsNewError
			if got := errors.As(env.GetWorkflowError(), &again); got != (test.state == core.ReminderActive) {
				t.Errorf("it ended with %v", env.GetWorkflowError())
			}
			if got := c.now().State; got != test.state || len(c.fired) != test.fires {
				t.Errorf("it is %s after %d times; want %s after %d", got, len(c.fired), test.state, test.fires)
			}
			for i, at := range c.fired {
				due := begun.Add(test.first + time.Duration(i)*day)
				if test.first > 0 && (at.Before(due) || at.After(due.Add(time.Second))) {
					t.Errorf("time %d was at %s, due at %s", i, at, due)
				}
			}
		})
	}
}
