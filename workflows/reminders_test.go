package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/llmtest"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

func remind(in *workflowtest.Installation, when, text string) core.Reminder {
	in.T.Helper()
	r, err := servicetest.Remind(in.T.Context(), in.House.Service, owner, "main", when, text)
	if err != nil {
		in.T.Fatal(err)
	}
	in.Settle()
	return r
}

func reminder(in *workflowtest.Installation, id core.ReminderID) store.Reminder {
	in.T.Helper()
	r, err := in.Store.Reminder(in.T.Context(), id)
	if err != nil {
		in.T.Fatal(err)
	}
	return r
}

// TestRemindedByAgent proves that an agent can set a reminder, and that it comes
// as a turn that the person reads, once.
func TestRemindedByAgent(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(llmtest.Use("remind_me", map[string]string{"when": "in 2 hours", "text": "drink tea"})))
		list, err := ops.Do(in.T.Context(), in.House.Runner, api.ListReminders, owner, api.ListRemindersInput{All: true})
		if err != nil || len(list.Items) != 1 {
			t.Fatalf("reminders: %v, %v", list, err)
		}
		id := list.Items[0].ID
		in.Reads("told: Reminder " + string(id) + " is set: ")
		in.Pass(3 * time.Hour)
		r := reminder(in, id)
		if r.State != core.ReminderDone || r.Times != 1 || r.Agent != "nikki" || r.Role != core.MasterAdmin {
			t.Errorf("the reminder is %+v", r)
		}
		comes := "you said [reminder " + string(id) + ", set by the user on " + r.Created.In(r.Spec.In()).Format("2 January 2006") + " for now] drink tea"
		if got := in.Read()[1:]; !slices.Equal(got, []string{"Reminder: drink tea", comes}) {
			t.Errorf("the person reads %q, want the last to be %q", got, comes)
		}
		requests := in.Stage.Requests()
		if system := requests[len(requests)-1].System; !strings.Contains(system, "Remind them now") {
			t.Error("the agent is not told what to do with a reminder")
		}
		if in.IsRunning(string(id)) {
			t.Error("its workflow does not end")
		}
		in.Reconcile()
		in.Send("hello")
		if got := in.Read()[3:]; !slices.Equal(got, []string{"you said hello"}) {
			t.Errorf("afterwards the person reads %q", got)
		}
	})
}

// TestRemindedByPerson proves that a person can set a reminder in a chat where
// nothing was said yet, also one that comes again and again, and end it.
func TestRemindedByPerson(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		start := time.Now().Add(-time.Hour + 4*time.Second).UTC()
		r := remind(in, "DTSTART:"+start.Format("20060102T150405Z")+" RRULE:FREQ=MINUTELY;INTERVAL=5", "water the plants")
		in.Pass(time.Minute)
		in.Reads("Reminder: water the plants", "] water the plants")
		now := reminder(in, r.ID)
		if now.State != core.ReminderActive || now.Times != 1 || !now.Next.Equal(r.Next.Add(5*time.Minute)) {
			t.Errorf("afterwards it is %+v", now)
		}
		over, err := ops.Do(in.T.Context(), in.House.Runner, api.CancelReminder, owner, api.CancelReminderInput{ID: string(r.ID[:6])})
		if err != nil || over.State != core.ReminderCanceled {
			t.Fatalf("cancel: %+v, %v", over, err)
		}
		in.Settle()
		if in.IsRunning(string(r.ID)) {
			t.Error("its workflow does not end")
		}
	})
}

// TestReminderRefused proves that what cannot be is refused, in words that say
// what to do: to people and to models.
func TestReminderRefused(t *testing.T) {
	tests := []struct{ when, text, want string }{
		{"1999-01-01 10:00", "tea", "is in the past: it is now"},
		{"FREQ=SECONDLY", "tea", "too often"},
		{"sometime", "tea", "I don't understand “sometime” as a time"},
		{"DTSTART;TZID=Europe/Olso:20261224T180000 FREQ=DAILY", "tea", "I don't know the time zone"},
		{"2080-01-01 at 9", "tea", "more than 5 years ahead"},
		{"tomorrow at 9", " ", "empty"},
		{"tomorrow at 9", strings.Repeat("x", 5000), "5000"},
	}
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		ctx := in.T.Context()
		for _, test := range tests {
			_, err := servicetest.Remind(ctx, in.House.Service, owner, "main", test.when, test.text)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%q: %v", test.when, err)
			}
		}
		in.Send(do(llmtest.Use("remind_me", map[string]string{"rrule": "FREQ=SECONDLY", "text": "tea"})))
		in.Send(do(ask("sasha", do(llmtest.Use("remind_me", map[string]string{"when": "tomorrow at 9", "text": "tea"})))))
		in.Reads("told: error: That is too often", "error: a sub-agent cannot set reminders")
		guest := actor.Actor{Person: "nobody", Role: core.Guest}
		if _, err := servicetest.Remind(ctx, in.House.Service, guest, "main", "tomorrow at 9", "tea"); err == nil {
			t.Error("a guest set a reminder")
		}
		bob := actor.Actor{Person: "bob", Role: core.Member}
		r := remind(in, "every month on the 31st at 10:00", "pay the rent")
		if !strings.Contains(r.When, "in shorter months on their last day") {
			t.Errorf("it is said as %q", r.When)
		}
		if _, err := ops.Do(ctx, in.House.Runner, api.CancelReminder, bob, api.CancelReminderInput{ID: string(r.ID)}); err == nil {
			t.Error("somebody canceled another's reminder")
		}
	})
}

// TestReminderTools proves that an agent sees and cancels the reminders of its
// person.
func TestReminderTools(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		r := remind(in, "every monday at 8", "water the plants")
		in.Send(do(llmtest.Use("list_reminders", nil)))
		in.Send(do(llmtest.Use("cancel_reminder", map[string]string{"id": string(r.ID)})))
		if in.IsRunning(string(r.ID)) {
			t.Error("its workflow does not end")
		}
		in.Send(do(llmtest.Use("cancel_reminder", map[string]string{"id": "r-none"})))
		in.Reads(string(r.ID)+"  every Monday at 08:00", "Reminder "+string(r.ID)+" is canceled.", "told: error: reminder")
	})
}

// TestReminderEndedFromTemporal proves that whoever ends the workflow of a reminder
// ends the reminder.
func TestReminderEndedFromTemporal(t *testing.T) {
	tests := map[string]func(in *workflowtest.Installation, id string) error{
		"signal": func(in *workflowtest.Installation, id string) error {
			return in.Signal(id, wire.SignalCancel, "enough")
		},
		"cancel":    (*workflowtest.Installation).Cancel,
		"terminate": (*workflowtest.Installation).Terminate,
	}
	for name, end := range tests {
		t.Run(name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				r := remind(in, "in 2 minutes", "tea")
				if err := end(in, string(r.ID)); err != nil {
					t.Fatal(err)
				}
				in.Reconcile()
				if now := reminder(in, r.ID); now.State != core.ReminderCanceled {
					t.Errorf("it is %s", now.State)
				}
				in.Pass(time.Hour)
				in.Reads()
			})
		})
	}
}
