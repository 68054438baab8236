package workflows_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"
	"time"

	"errand/activities"
	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/push"
	"errand/internal/store"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

// A scriptedReceiver takes webhooks as a script says.
type scriptedReceiver struct {
	answer func(age time.Duration) error // since the first

	mu   sync.Mutex
	got  []push.Request
	when []time.Duration
}

func (r *scriptedReceiver) Send(_ context.Context, in push.Request) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, in)
	r.when = append(r.when, in.At.Sub(r.got[0].At))
	return r.answer(r.when[len(r.when)-1])
}

// TestWebhook proves when a program is told of the end of its task, whatever becomes of the
// task, of the receiver and of the worker, and what is noted of it.
func TestWebhook(t *testing.T) {
	const day = 24 * time.Hour
	no := func(e push.Error) error { e.Reason = "no"; return &e }
	taken := func(time.Duration) error { return nil }
	tests := []struct {
		name    string
		answer  func(age time.Duration) error
		during  func(*workflowtest.Installation, core.Task)
		least   int // attempts
		most    int
		state   core.WebhookState
		event   string
		soonest time.Duration // the second attempt, since the first
		noLater time.Duration // the last one
	}{
		{name: "taken", answer: taken, least: 1, most: 1, state: core.WebhookSent, event: "task.completed"},
		{name: "taken when the receiver is back", least: 3, most: 40, state: core.WebhookSent, event: "task.completed", soonest: 5 * time.Second, noLater: 3 * time.Hour,
			answer: func(age time.Duration) error {
				if age < 2*time.Hour {
					return no(push.Error{Status: 503})
				}
				return nil
			}},
		{name: "no sooner than the receiver asks", least: 2, most: 2, state: core.WebhookSent, event: "task.completed", soonest: 50 * time.Minute, noLater: time.Hour,
			answer: func(age time.Duration) error {
				if age < 50*time.Minute {
					return no(push.Error{Status: 429, RetryAfter: 50 * time.Minute})
				}
				return nil
			}},
		{name: "given up after three days", least: 60, most: 120, state: core.WebhookFailed, event: "task.completed", noLater: 3 * day,
			answer: func(time.Duration) error { return no(push.Error{}) }},
		{name: "not tried again where that makes no sense", least: 1, most: 1, state: core.WebhookFailed, event: "task.completed",
			answer: func(time.Duration) error { return no(push.Error{Final: true}) }},
		{name: "of a task that is canceled", answer: taken, least: 1, most: 1, state: core.WebhookSent, event: "task.canceled",
			during: func(in *workflowtest.Installation, task core.Task) {
				if err := in.CancelTask(task.ID, "enough"); err != nil {
					in.T.Error(err)
				}
			}},
		{name: "of a task whose end nobody was told", answer: taken, least: 1, most: 1, state: core.WebhookSent, event: "task.canceled",
			during: func(in *workflowtest.Installation, task core.Task) {
				if _, err := in.Store.CloseTask(in.T.Context(), task.ID, "", true); err != nil {
					in.T.Error(err)
				}
				in.Pass(time.Minute)
				in.Reconcile()
			}},
		{name: "on its way when the workflow is lost", least: 2, most: 40, state: core.WebhookSent, event: "task.completed", noLater: day,
			answer: func(age time.Duration) error {
				if age < time.Hour {
					return no(push.Error{Status: 500})
				}
				return nil
			},
			during: func(in *workflowtest.Installation, _ core.Task) {
				in.Pass(5 * time.Minute)
				if err := in.Terminate(webhooksOf(in)[0].ID); err != nil {
					in.T.Error(err)
				}
				in.Pass(time.Minute)
				in.Reconcile()
			}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			to := &scriptedReceiver{answer: test.answer}
			o := workflowtest.Options{Activities: func(d *activities.Deps) { d.Webhooks = to }}
			workflowtest.Run(t, o, func(in *workflowtest.Installation) {
				text := "say 42"
				if test.event == "task.canceled" {
					text = "wait 9h"
				}
				task, err := servicetest.CreateTask(in.T.Context(), in.House.Service, actor.Actor{Person: workflowtest.Owner, Role: core.MasterAdmin},
					api.CreateTaskInput{Callback: "https://example.org/hook", Body: api.NewTask{Agents: []core.AgentName{"sasha"}, Text: text}})
				if err != nil {
					t.Fatal(err)
				}
				in.Settle()
				if test.during != nil {
					test.during(in, task)
				}
				in.Pass(4 * day)
				list := webhooksOf(in)
				if len(list) != 1 || list[0].State != test.state || list[0].Attempts != len(to.got) {
					t.Fatalf("after %d attempts it is %+v", len(to.got), list)
				}
				if n := len(to.got); n < test.least || n > test.most || to.when[n-1] > test.noLater || n > 1 && to.when[1] < test.soonest {
					t.Errorf("%d attempts, after %s", n, to.when)
				}
				if in.IsRunning(list[0].ID) {
					t.Error("its workflow runs on")
				}
				for _, r := range to.got {
					wantWebhook(t, r, to.got[0], list[0], test.event)
				}
			})
		})
	}
}

func webhooksOf(in *workflowtest.Installation) []core.Webhook {
	in.T.Helper()
	list, err := in.Store.Webhooks(in.T.Context(), workflowtest.Owner, store.Page{})
	if err != nil || len(list) == 0 {
		in.T.Fatal("no webhook", err)
	}
	return list
}

// wantWebhook checks that an attempt says what the first said, under the same id and secret.
func wantWebhook(t *testing.T, got, first push.Request, row core.Webhook, event string) {
	t.Helper()
	if got.ID != row.ID || got.URL != row.URL || got.Secret == "" || got.Secret != first.Secret || string(got.Body) != string(first.Body) {
		t.Errorf("sent: %+v, first %+v", got, first)
	}
	var said struct {
		Type string
		Data struct {
			ID     core.TaskID
			Result string
		}
	}
	err := json.Unmarshal(got.Body, &said)
	want := map[string]string{"task.completed": "42"}[event]
	if err != nil || said.Type != event || said.Data.ID != row.Task || said.Data.Result != want {
		t.Errorf("body: %s, %v", got.Body, err)
	}
}
