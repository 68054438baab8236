package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"errand"
	"errand/internal/app"
	"errand/internal/service"
	"errand/internal/store"
	"errand/workflows"
)

func webKey(chat string) errand.SessionKey {
	return errand.NewSessionKey(errand.WebRoute(chat), app.Owner)
}

// remind sets a reminder as a person does.
func (in *installation) remind(key errand.SessionKey, when, text string) store.Reminder {
	in.t.Helper()
	r, err := in.Service.Remind(in.t.Context(), owner, key, when, text)
	if err != nil {
		in.t.Fatal(err)
	}
	return r
}

// every is a rule whose next time comes in a moment and the one after that in
// five minutes, with times of an hour before. The moment is long enough for a busy
// machine to set the reminder in: it is a second less than it seems to be.
func every() string {
	start := time.Now().Add(-time.Hour + 4*time.Second).UTC()
	return "DTSTART:" + start.Format("20060102T150405Z") + " RRULE:FREQ=MINUTELY;INTERVAL=5"
}

// spoken returns what agents said that nobody had asked for.
func spoken(events []errand.Event) []string {
	var texts []string
	for _, e := range events {
		if e.Type == errand.EventLate {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

func late(n int) func([]errand.Event) bool {
	return func(events []errand.Event) bool { return len(spoken(events)) >= n }
}

func (in *installation) reminder(id errand.ReminderID) store.Reminder {
	in.t.Helper()
	r, err := in.Store.Reminder(in.t.Context(), id)
	if err != nil {
		in.t.Fatal(err)
	}
	return r
}

// ends waits until the workflow of a reminder has ended.
func (in *installation) ends(id errand.ReminderID, want enumspb.WorkflowExecutionStatus) {
	in.t.Helper()
	eventually(in.t, fmt.Sprintf("%s of %s", want, id), func() bool {
		desc, err := in.Client.DescribeWorkflowExecution(in.t.Context(), string(id), "")
		return err == nil && desc.GetWorkflowExecutionInfo().GetStatus() == want
	})
}

// TestRemindedByAgent proves that an agent can set a reminder, and that it comes
// as a turn that the person reads, once.
func TestRemindedByAgent(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil)
	key := in.say("main", do(tool("remind_me", map[string]string{"when": "in 2 seconds", "text": "drink tea"})))
	events := in.until(key, late(1))
	list, err := in.Service.Reminders(t.Context(), owner, true)
	if err != nil || len(list) != 1 {
		t.Fatalf("reminders: %v, %v", list, err)
	}
	r := list[0]
	if r.State != store.ReminderDone || r.Times != 1 || r.Agent != "nikki" || r.Role != errand.MasterAdmin {
		t.Errorf("the reminder is %+v", r)
	}
	// Either may be said first: one comes from the chat's workflow, one from the
	// reminder's.
	if got := said(events); len(got) != 3 || !slices.Contains(got[:2], "Reminder: drink tea") ||
		!slices.ContainsFunc(got[:2], func(text string) bool { return strings.Contains(text, "told: Reminder "+string(r.ID)+" is set: ") }) {
		t.Errorf("the person reads %q", got)
	}
	want := "you said [reminder " + string(r.ID) + ", set by the person on " + r.Created.In(r.Spec.In()).Format("2 January 2006") + " for now] drink tea"
	if got := spoken(events); len(got) != 1 || got[0] != want {
		t.Errorf("the agent says %q, not %q", got, want)
	}
	requests := s.Requests()
	if system := requests[len(requests)-1].System; !strings.Contains(system, "Remind them now") {
		t.Error("the agent is not told what to do with a reminder")
	}
	in.ends(r.ID, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	in.look()
	in.say("main", "hello")
	events = in.until(key, heard("you said hello"))
	if n := len(spoken(events)); n != 1 {
		t.Errorf("it came %d times", n)
	}
}

// TestRemindedByPerson proves that a person can set a reminder in a chat where
// nothing was said yet, also one that comes again and again.
func TestRemindedByPerson(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil)
	key := webKey("new")
	r := in.remind(key, every(), "water the plants")
	in.until(key, late(1))
	now := in.reminder(r.ID)
	if now.State != store.ReminderActive || now.Times != 1 || !now.Next.Equal(r.Next.Add(5*time.Minute)) {
		t.Errorf("afterwards it is %+v", now)
	}
	over, err := in.Service.CancelReminder(t.Context(), owner, string(r.ID[:6]))
	if err != nil || over.State != store.ReminderCanceled {
		t.Fatalf("cancel: %+v, %v", over, err)
	}
	in.ends(r.ID, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
}

// TestReminderRefused proves that what cannot be is refused, in words that say
// what to do: to people and to models.
func TestReminderRefused(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil)
	key := webKey("main")
	tests := []struct{ when, text, want string }{
		{"2020-01-01 10:00", "tea", "is in the past: it is now"},
		{"every second", "tea", "too often"},
		{"sometime", "tea", "I do not understand “sometime” as a time"},
		{"tomorrow at nine Europe/Olso", "tea", "I do not know the time zone"},
		{"2080-01-01", "tea", "more than 5 years ahead"},
		{"tomorrow", " ", "empty"},
		{"tomorrow", strings.Repeat("x", 5000), "5000"},
	}
	for _, test := range tests {
		_, err := in.Service.Remind(t.Context(), owner, key, test.when, test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v", test.when, err)
		}
	}
	in.say("main", do(tool("remind_me", map[string]string{"when": "every second", "text": "tea"})))
	in.until(key, heard("told: error: That is too often"))
	in.say("main", do(ask("sasha", do(tool("remind_me", map[string]string{"when": "tomorrow", "text": "tea"})))))
	in.until(key, heard("not by a sub-agent"))
	guest := service.Actor{Person: "nobody", Role: errand.Guest}
	if _, err := in.Service.Remind(t.Context(), guest, key, "tomorrow", "tea"); err == nil {
		t.Error("a guest set a reminder")
	}
	member := service.Actor{Person: "bob", Role: errand.Member}
	if _, err := in.Service.Remind(t.Context(), member, key, "tomorrow", "tea"); err == nil {
		t.Error("somebody set a reminder in another's chat")
	}
	r := in.remind(key, "on the 31st of every month at 10:00", "pay the rent")
	if !strings.Contains(r.When, "in shorter months on their last day") {
		t.Errorf("it is said as %q", r.When)
	}
	if _, err := in.Service.CancelReminder(t.Context(), member, string(r.ID)); err == nil {
		t.Error("somebody canceled another's reminder")
	}
}

// TestReminderTools proves that an agent sees and cancels the reminders of its
// person.
func TestReminderTools(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil)
	key := webKey("main")
	r := in.remind(key, "every monday at 8", "water the plants")
	in.say("main", do(tool("list_reminders", nil)))
	in.until(key, heard(string(r.ID)+"  every Monday at 08:00"))
	in.say("main", do(tool("cancel_reminder", map[string]string{"id": string(r.ID)})))
	in.until(key, heard("Reminder "+string(r.ID)+" is canceled."))
	in.ends(r.ID, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
	in.say("main", do(tool("cancel_reminder", map[string]string{"id": "r-none"})))
	in.until(key, heard("told: error: reminder"))
}

// TestReminderSurvives proves that a reminder comes once, also when the process
// is gone at its time, or its workflow is lost.
func TestReminderSurvives(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil)
	key := webKey("main")
	r := in.remind(key, every(), "drink tea")
	in.stop()
	eventually(t, "the time, while nobody is there", func() bool { return time.Now().After(r.Next) })
	in.start()
	in.until(key, late(1))
	if now := in.reminder(r.ID); now.Times != 1 {
		t.Errorf("it came %d times", now.Times)
	}
	// The database of Temporal is lost: the watchdog starts what has no workflow.
	lost, err := in.Store.CreateReminder(t.Context(), store.Reminder{
		Person: app.Owner, Key: key, Role: errand.MasterAdmin, Text: "lost", Spec: r.Spec, Next: time.Now().Add(-time.Second)})
	if err != nil {
		t.Fatal(err)
	}
	in.look()
	in.until(key, late(2))
	if now := in.reminder(lost.ID); now.Times != 1 {
		t.Errorf("the lost one came %d times", now.Times)
	}
}

// TestReminderEndedFromTemporal proves that whoever ends the workflow ends the
// reminder.
func TestReminderEndedFromTemporal(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil)
	ends := map[string]func(id string) error{
		"signal": func(id string) error { return in.Client.SignalWorkflow(t.Context(), id, "", "cancel", "enough") },
		"cancel": func(id string) error { return in.Client.CancelWorkflow(t.Context(), id, "") },
		"terminate": func(id string) error {
			return in.Client.TerminateWorkflow(t.Context(), id, "", "enough")
		},
	}
	for name, end := range ends {
		r := in.remind(webKey("main"), "in 2 minutes", name)
		if err := end(string(r.ID)); err != nil {
			t.Fatal(err)
		}
		eventually(t, name, func() bool {
			if name == "terminate" {
				in.look()
			}
			return in.reminder(r.ID).State == store.ReminderCanceled
		})
	}
}

func recordReminder(in *installation, _ *stage) map[string]string {
	key := webKey("main")
	once := in.remind(key, "in 1 second", "drink tea")
	again := in.remind(key, every(), "water the plants")
	canceled := in.remind(key, "tomorrow", "call Ann")
	signalled := in.remind(key, "tomorrow", "call Bob")
	in.until(key, func(events []errand.Event) bool {
		return strings.Contains(strings.Join(spoken(events), " "), "tea") && strings.Contains(strings.Join(spoken(events), " "), "plants")
	})
	in.ends(once.ID, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	if _, err := in.Service.CancelReminder(in.t.Context(), owner, string(canceled.ID)); err != nil {
		in.t.Fatal(err)
	}
	in.ends(canceled.ID, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
	if err := in.Client.SignalWorkflow(in.t.Context(), string(signalled.ID), "", workflows.SignalCancel, "enough"); err != nil {
		in.t.Fatal(err)
	}
	in.ends(signalled.ID, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	return map[string]string{
		"reminder-once": string(once.ID), "reminder-recurring": string(again.ID),
		"reminder-canceled": string(canceled.ID), "reminder-signalled": string(signalled.ID),
	}
}
