package app_test

import (
	"fmt"
	"strings"
	"time"

	enumspb "go.temporal.io/api/enums/v1"

	"errand/api"
	"errand/internal/app"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/servicetest"
)

func webKey(chat string) core.SessionKey {
	return core.NewSessionKey(core.WebRoute(chat), app.Owner)
}

func (in *installation) remind(key core.SessionKey, when, text string) core.Reminder {
	in.t.Helper()
	route, _, err := key.Parse()
	if err != nil {
		in.t.Fatal(err)
	}
	r, err := servicetest.Remind(in.t.Context(), in.Service, owner, route.Chat, when, text)
	if err != nil {
		in.t.Fatal(err)
	}
	return r
}

// soon is the time after d, written in whole seconds.
func soon(d time.Duration) string { return time.Now().Add(d).UTC().Format(time.RFC3339) }

// every is a rule whose next time comes in a moment and the one after that in
// five minutes, with times of an hour before. The moment is long enough for a busy
// machine to set the reminder in: it is a second less than it seems to be.
func every() string {
	start := time.Now().Add(-time.Hour + 4*time.Second).UTC()
	return "DTSTART:" + start.Format("20060102T150405Z") + " RRULE:FREQ=MINUTELY;INTERVAL=5"
}

func lateTexts(events []core.Event) []string {
	var texts []string
	for _, e := range events {
		if e.Type == core.EventLate {
			texts = append(texts, e.Text)
		}
	}
	return texts
}

func late(n int) func([]core.Event) bool {
	return func(events []core.Event) bool { return len(lateTexts(events)) >= n }
}

func (in *installation) reminder(id core.ReminderID) store.Reminder {
	in.t.Helper()
	r, err := in.Store.Reminder(in.t.Context(), id)
	if err != nil {
		in.t.Fatal(err)
	}
	return r
}

// ends waits until the workflow of a reminder has ended.
func (in *installation) ends(id core.ReminderID, want enumspb.WorkflowExecutionStatus) {
	in.t.Helper()
	eventually(in.t, fmt.Sprintf("%s of %s", want, id), func() bool {
		desc, err := in.Client.DescribeWorkflowExecution(in.t.Context(), string(id), "")
		return err == nil && desc.GetWorkflowExecutionInfo().GetStatus() == want
	})
}

func recordReminder(in *installation, _ *stage, chat string) map[string]string {
	key := webKey(chat)
	once := in.remind(key, soon(3*time.Second), "drink tea")
	again := in.remind(key, every(), "water the plants")
	canceled := in.remind(key, "tomorrow at 9", "call Ann")
	signalled := in.remind(key, "tomorrow at 9", "call Bob")
	in.until(key, func(events []core.Event) bool {
		return strings.Contains(strings.Join(lateTexts(events), " "), "tea") && strings.Contains(strings.Join(lateTexts(events), " "), "plants")
	})
	in.ends(once.ID, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	if _, err := ops.Do(in.t.Context(), in.Service.Runner, api.CancelReminder, owner, api.CancelReminderInput{ID: string(canceled.ID)}); err != nil {
		in.t.Fatal(err)
	}
	in.ends(canceled.ID, enumspb.WORKFLOW_EXECUTION_STATUS_CANCELED)
	if err := in.Client.SignalWorkflow(in.t.Context(), string(signalled.ID), "", wire.SignalCancel, "enough"); err != nil {
		in.t.Fatal(err)
	}
	in.ends(signalled.ID, enumspb.WORKFLOW_EXECUTION_STATUS_COMPLETED)
	return map[string]string{
		"reminder-once": string(once.ID), "reminder-recurring": string(again.ID),
		"reminder-canceled": string(canceled.ID), "reminder-signalled": string(signalled.ID),
	}
}
