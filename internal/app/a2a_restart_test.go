package app_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"

	"errand/internal/ownerkey"
)

// TestA2ARestart proves that a task which asks its A2A client something asks it after a
// restart, is answered by a message into it, and completes; that the message with which it
// began is known then; and that what is said to a task that is not known is answered as the
// protocol says, before and after.
func TestA2ARestart(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil)
	begun := a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(do(tool("ask_user", map[string]string{"question": "Which day?"}))))
	say := func(m *a2a.Message) (*a2a.Task, error) {
		t.Helper()
		got, err := in.a2aClient("sasha").SendMessage(t.Context(), &a2a.SendMessageRequest{Message: m})
		task, _ := got.(*a2a.Task)
		return task, err
	}
	unknown := func(when string) {
		t.Helper()
		_, err := say(a2a.NewMessageForTask(a2a.MessageRoleUser, a2a.TaskInfo{TaskID: "t-unknown1"}, a2a.NewTextPart("Monday")))
		if !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("%s, what is said to nothing known is answered %v", when, err)
		}
		if _, err := in.a2aClient("sasha").GetTask(t.Context(), &a2a.GetTaskRequest{ID: "t-unknown1"}); !errors.Is(err, a2a.ErrTaskNotFound) {
			t.Errorf("%s, what is not known stands as %v", when, err)
		}
	}
	asks, err := say(begun)
	if err != nil || asks == nil || asks.Status.State != a2a.TaskStateInputRequired {
		t.Fatalf("a task that asks is %+v, %v", asks, err)
	}
	unknown("before the restart")
	in.stop()
	in.start()
	unknown("after the restart")
	still, err := in.a2aClient("sasha").GetTask(t.Context(), &a2a.GetTaskRequest{ID: asks.ID})
	if err != nil || still.Status.State != a2a.TaskStateInputRequired || still.Status.Message.Parts[0].Text() != "Which day?" {
		t.Fatalf("after the restart it is %+v, %v", still, err)
	}
	if again, err := say(begun); err != nil || again == nil || again.ID != asks.ID || again.Status.State != a2a.TaskStateInputRequired {
		t.Errorf("the message with which it began, once more, is answered %+v, %v", again, err)
	}
	answer := a2a.NewMessageForTask(a2a.MessageRoleUser, a2a.TaskInfo{TaskID: asks.ID}, a2a.NewTextPart("Monday"))
	done, err := say(answer)
	if err != nil || done == nil || done.ID != asks.ID || done.Status.State != a2a.TaskStateCompleted || !strings.Contains(resultOf(done), "Monday") {
		t.Fatalf("with the answer it is %+v, %v", done, err)
	}
	in.stop()
	in.start()
	if again, err := say(answer); err != nil || again == nil || resultOf(again) != resultOf(done) {
		t.Errorf("after another restart the same answer is answered %+v, %v", again, err)
	}
	if n := len(in.tasks("")); n != 1 {
		t.Errorf("there are %d tasks", n)
	}
}

func (in *installation) a2aClient(agent string) *a2aclient.Client {
	in.t.Helper()
	owner, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		in.t.Fatal(err)
	}
	through := &http.Client{Transport: bearer(owner)}
	card, err := (&agentcard.Resolver{Client: through}).Resolve(in.t.Context(), "http://"+in.Address+"/a2a/"+agent)
	if err != nil {
		in.t.Fatal(err)
	}
	client, err := a2aclient.NewFromCard(in.t.Context(), card, a2aclient.WithDefaultsDisabled(), a2aclient.WithJSONRPCTransport(through))
	if err != nil {
		in.t.Fatal(err)
	}
	return client
}
