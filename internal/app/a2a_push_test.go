package app_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"

	"errand/internal/config"
)

// TestA2APush proves that whom a client of A2A names is told when its task asks something and
// when it has ended, with what the client said to show, as long as they are named; and that no client names what may not be reached.
func TestA2APush(t *testing.T) {
	t.Parallel()
	receiver := newHookReceiver(t, 1)
	in, _ := play(t, nil, func(c *config.Config) {
		c.Hooks.Allow = append(c.Hooks.Allow, strings.TrimPrefix(receiver.URL, "http://"))
	})
	client := in.a2aClient("sasha")
	ask := do(tool("ask_user", map[string]string{"question": "Which day?"}))
	push := &a2a.PushConfig{ID: "p", URL: receiver.URL + "/told", Token: "tok", Auth: &a2a.PushAuthInfo{Scheme: "bearer", Credentials: "secret"}}
	got, err := client.SendMessage(t.Context(), &a2a.SendMessageRequest{
		Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(ask)), Config: &a2a.SendMessageConfig{PushConfig: push}})
	task, ok := got.(*a2a.Task)
	if err != nil || !ok || task.Status.State != a2a.TaskStateInputRequired {
		t.Fatalf("a task that asks is %+v, %v", got, err)
	}
	configs, err := client.ListTaskPushConfigs(t.Context(), &a2a.ListTaskPushConfigRequest{TaskID: task.ID})
	if err != nil || len(configs) != 1 || configs[0].ID != "p" || configs[0].Auth == nil || configs[0].Auth.Credentials != "" {
		t.Fatalf("the receivers are %+v, %v", configs, err)
	}
	eventually(t, "the question is told", func() bool {
		return strings.Contains(lastBody(receiver), "TASK_STATE_INPUT_REQUIRED")
	})
	if _, err := client.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: a2a.NewMessageForTask(a2a.MessageRoleUser, a2a.TaskInfo{TaskID: task.ID}, a2a.NewTextPart("Monday"))}); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end is told", func() bool { return strings.Contains(lastBody(receiver), "Monday") })
	list := receiver.requests()
	told := list[len(list)-1]
	if told.header.Get("Authorization") != "Bearer secret" || told.header.Get("X-A2A-Notification-Token") != "tok" || told.header.Get("Webhook-Signature") == "" {
		t.Errorf("it is told with %v", told.header)
	}
	var body struct{ Task struct{ ID string } }
	if err := json.Unmarshal(told.body, &body); err != nil || body.Task.ID != string(task.ID) {
		t.Errorf("it is told %s, %v", told.body, err)
	}
	if err := client.DeleteTaskPushConfig(t.Context(), &a2a.DeleteTaskPushConfigRequest{TaskID: task.ID, ID: "p"}); err != nil {
		t.Error(err)
	}
	push.TaskID, push.URL = task.ID, "http://10.0.0.1/"
	if _, err := client.CreateTaskPushConfig(t.Context(), push); err == nil {
		t.Error("an address of a private network is taken")
	}
}

// lastBody is the body of the last request that a receiver got; empty: none.
func lastBody(r *hookReceiver) string {
	list := r.requests()
	if len(list) == 0 {
		return ""
	}
	return string(list[len(list)-1].body)
}
