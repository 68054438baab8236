package workflows_test

import (
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/test/workflowtest"
	"errand/internal/when"
)

// TestReminded proves what a person reads of a reminder whose time comes, and how
// often.
func TestReminded(t *testing.T) {
	const day = 24 * time.Hour
	const rings = "Reminder: drink tea" // in errand's own words, before the agent's
	tests := []struct {
		name  string
		text  string                              // of the reminder; default: drink tea
		daily bool                                // else once, in a day
		then  func(in *workflowtest.Installation) // before its time
		pass  time.Duration
		want  []string // what the person reads, in order
		times int
		state core.ReminderState
	}{
		{name: "not before its time", pass: day - time.Second, state: core.ReminderActive},
		{name: "once", pass: 40 * day, want: []string{rings, "] drink tea"}, times: 1, state: core.ReminderDone},
		{name: "every day", daily: true, pass: 3*day + time.Hour, want: []string{rings, "] drink tea", rings, "] drink tea", rings, "] drink tea"}, times: 3, state: core.ReminderActive},
		{name: "in the session that follows", then: (*workflowtest.Installation).Reset, pass: 2 * day, want: []string{rings, "] drink tea"}, times: 1, state: core.ReminderDone},
		{name: "though the model does not answer", then: func(in *workflowtest.Installation) {
			in.Stage.Failing("nikki", &llm.Error{Kind: llm.Refused, Message: "no key"})
		}, pass: 2 * day, want: []string{rings, rings}, times: 1, state: core.ReminderDone},
		{name: "with the rights of its time", text: do(ask("sasha", "trains")), then: func(in *workflowtest.Installation) {
			if _, err := in.Store.EnsurePerson(in.T.Context(), "ada", "Ada", core.MasterAdmin); err != nil {
				in.T.Error(err)
			}
			if _, err := in.Store.SetRole(in.T.Context(), workflowtest.Owner, core.Guest); err != nil {
				in.T.Error(err)
			}
		}, pass: 2 * day, want: []string{"Reminder: ", `there is no tool "call_agent"`}, times: 1, state: core.ReminderDone},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				if test.text == "" {
					test.text = "drink tea"
				}
				at := time.Now().Add(day)
				spec := when.Spec{At: at, Zone: "UTC"}
				if test.daily {
					spec = when.Spec{Rule: "FREQ=DAILY", Start: at, Zone: "UTC"}
				}
				r, err := in.Store.CreateReminder(in.T.Context(), store.Reminder{
					Reminder: core.Reminder{Person: workflowtest.Owner, Text: test.text, Next: at},
					Key:      workflowtest.Key("main"), Role: core.MasterAdmin, Spec: spec,
				})
				if err != nil {
					in.T.Fatal(err)
				}
				if err := in.Dispatch.StartReminder(in.T.Context(), r.ID); err != nil {
					in.T.Fatal(err)
				}
				if test.then != nil {
					test.then(in)
				}
				in.Pass(test.pass)
				in.Reads(test.want...)
				if n := len(in.Tasks()); n > 0 {
					t.Errorf("it delegated %d tasks", n)
				}
				now, err := in.Store.Reminder(in.T.Context(), r.ID)
				if err != nil || now.Times != test.times || now.State != test.state || now.Role != core.MasterAdmin {
					t.Errorf("afterwards it is %+v (%v)", now, err)
				}
				if in.IsRunning(string(r.ID)) != (test.state == core.ReminderActive) {
					t.Error("its workflow is not as the reminder is")
				}
			})
		})
	}
}
