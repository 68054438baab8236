package app_test

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/a2aproject/a2a-go/v2/a2a"
	"github.com/a2aproject/a2a-go/v2/a2aclient"
	"github.com/a2aproject/a2a-go/v2/a2aclient/agentcard"

	"errand/internal/ownerkey"
)

// TestA2ADoor proves that an A2A client finds an agent by its card, gives it tasks, reads,
// follows, answers, goes on with and cancels them: over both bindings that errand has.
func TestA2ADoor(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil)
	owner, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	base := "http://" + in.Address
	for name, over := range map[string]a2aclient.FactoryOption{
		"JSON-RPC":  a2aclient.WithJSONRPCTransport(&http.Client{Transport: bearer(owner)}),
		"HTTP+JSON": a2aclient.WithRESTTransport(&http.Client{Transport: bearer(owner)}),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			resolver := &agentcard.Resolver{Client: &http.Client{Transport: bearer(owner)}}
			card, err := resolver.Resolve(t.Context(), base+"/a2a/sasha")
			if err != nil || card.Name != "Sasha" || len(card.Skills) != 1 || card.Skills[0].Description == "" {
				t.Fatalf("the card is %+v, %v", card, err)
			}
			client, err := a2aclient.NewFromCard(t.Context(), card, a2aclient.WithDefaultsDisabled(), over)
			if err != nil {
				t.Fatal(err)
			}
			(&a2aClient{Client: client, in: in.of(t)}).works()
		})
	}
	t.Run("strangers", func(t *testing.T) {
		for _, path := range []string{"/.well-known/agent-card.json", "/a2a/sasha/.well-known/agent-card.json", "/a2a/nobody/.well-known/agent-card.json"} {
			resp, err := http.Get(base + path)
			if err != nil {
				t.Fatal(err)
			}
			var card struct {
				Description         string
				SupportedInterfaces []struct{ URL, ProtocolVersion string }
				SecuritySchemes     map[string]struct{ HTTPAuthSecurityScheme *struct{ Scheme string } }
			}
			err = json.NewDecoder(resp.Body).Decode(&card)
			resp.Body.Close()
			if err != nil || resp.StatusCode != 200 || len(card.SupportedInterfaces) != 2 || card.SupportedInterfaces[0].ProtocolVersion != "1.0" ||
				card.SecuritySchemes["token"].HTTPAuthSecurityScheme == nil || strings.Contains(card.Description, "Oslo") {
				t.Errorf("%s is %d %+v, %v", path, resp.StatusCode, card, err)
			}
		}
		resp, err := http.Post(base+"/a2a/sasha", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t-1"}}`))
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != http.StatusUnauthorized || !strings.Contains(resp.Header.Get("WWW-Authenticate"), "Bearer") {
			t.Errorf("a stranger is answered %d, %q", resp.StatusCode, resp.Header.Get("WWW-Authenticate"))
		}
	})
}

// An a2aClient is one that talks with an agent of an installation.
type a2aClient struct {
	*a2aclient.Client
	in *installation
}

func (c *a2aClient) send(text string, about a2a.TaskInfo) *a2a.Task {
	c.in.t.Helper()
	got, err := c.SendMessage(c.in.t.Context(), &a2a.SendMessageRequest{Message: a2a.NewMessageForTask(a2a.MessageRoleUser, about, a2a.NewTextPart(text))})
	task, ok := got.(*a2a.Task)
	if err != nil || !ok {
		c.in.t.Fatalf("%q is answered %+v, %v", text, got, err)
	}
	return task
}

func resultOf(t *a2a.Task) string {
	for _, a := range t.Artifacts {
		if a.Name == "result" {
			return a.Parts[0].Text()
		}
	}
	return ""
}

// works does what clients do.
func (c *a2aClient) works() {
	t, ctx := c.in.t, c.in.t.Context()
	done := c.send("blue", a2a.TaskInfo{})
	if done.Status.State != a2a.TaskStateCompleted || !strings.Contains(resultOf(done), "blue") || len(done.History) != 1 {
		t.Fatalf("a task is answered %+v", done)
	}
	if read, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: done.ID}); err != nil || resultOf(read) != resultOf(done) || read.ContextID != done.ContextID {
		t.Errorf("read again it is %+v, %v", read, err)
	}
	further := c.send("green", a2a.TaskInfo{ContextID: done.ContextID})
	if further.ID == done.ID || further.ContextID != done.ContextID || !strings.Contains(resultOf(further), "green") {
		t.Errorf("what goes on in the same context is %+v", further)
	}

	asks := c.send(do(tool("ask_user", map[string]string{"question": "Which day?"})), a2a.TaskInfo{})
	if asks.Status.State != a2a.TaskStateInputRequired || asks.Status.Message.Parts[0].Text() != "Which day?" {
		t.Fatalf("a task that asks is %+v", asks)
	}
	answered := a2a.NewMessageForTask(a2a.MessageRoleUser, a2a.TaskInfo{TaskID: asks.ID}, a2a.NewTextPart("Monday"))
	for range 2 { // the same message counts once
		got, err := c.SendMessage(ctx, &a2a.SendMessageRequest{Message: answered})
		if task, ok := got.(*a2a.Task); err != nil || !ok || task.Status.State != a2a.TaskStateCompleted || strings.Count(resultOf(task), "Monday") != 1 {
			t.Errorf("with the answer it is %+v, %v", got, err)
		}
	}
	if _, err := c.SendMessage(ctx, &a2a.SendMessageRequest{Message: a2a.NewMessageForTask(a2a.MessageRoleUser, a2a.TaskInfo{TaskID: asks.ID}, a2a.NewTextPart("Tuesday"))}); !errors.Is(err, a2a.ErrUnsupportedOperation) {
		t.Errorf("what is said to a task that has ended is answered %v", err)
	}

	var last a2a.Event
	var states []a2a.TaskState
	brought := ""
	for e, err := range c.SendStreamingMessage(ctx, &a2a.SendMessageRequest{Message: a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart("a stream"))}) {
		if err != nil {
			t.Fatalf("in a stream: %v", err)
		}
		switch e := e.(type) {
		case *a2a.Task:
			states, brought = append(states, e.Status.State), resultOf(e)
		case *a2a.TaskStatusUpdateEvent:
			states = append(states, e.Status.State)
		case *a2a.TaskArtifactUpdateEvent:
			brought = e.Artifact.Parts[0].Text()
		}
		last = e
	}
	if len(states) == 0 || states[len(states)-1] != a2a.TaskStateCompleted || !strings.Contains(brought, "a stream") {
		t.Errorf("a stream has the states %v and brings %q; its last is %+v", states, brought, last)
	}

	open := c.send(do(tool("ask_user", map[string]string{"question": "Which month?"})), a2a.TaskInfo{})
	followed := make(chan a2a.TaskState, 9)
	go func() {
		defer close(followed)
		for e, err := range c.SubscribeToTask(ctx, &a2a.SubscribeToTaskRequest{ID: open.ID}) {
			switch e := e.(type) {
			case *a2a.Task:
				followed <- e.Status.State
			case *a2a.TaskStatusUpdateEvent:
				followed <- e.Status.State
			}
			if err != nil {
				return
			}
		}
	}()
	if state := <-followed; state != a2a.TaskStateInputRequired {
		t.Errorf("who follows is told %v first", state)
	}
	if ended, err := c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: open.ID}); err != nil || ended.Status.State != a2a.TaskStateCanceled {
		t.Errorf("canceled it is %+v, %v", ended, err)
	}
	var state a2a.TaskState
	for state = range followed {
	}
	if state != a2a.TaskStateCanceled {
		t.Errorf("who follows is told %v last", state)
	}
	if _, err := c.CancelTask(ctx, &a2a.CancelTaskRequest{ID: done.ID}); !errors.Is(err, a2a.ErrTaskNotCancelable) {
		t.Errorf("the end of what has ended is answered %v", err)
	}
	if _, err := c.GetTask(ctx, &a2a.GetTaskRequest{ID: "t-none"}); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("a task that is not there: %v", err)
	}
	list, err := c.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: done.ContextID, PageSize: 1})
	if err != nil || list.TotalSize != 2 || len(list.Tasks) != 1 || list.Tasks[0].ID != further.ID || list.NextPageToken == "" {
		t.Fatalf("the list of a context is %+v, %v", list, err)
	}
	list, err = c.ListTasks(ctx, &a2a.ListTasksRequest{ContextID: done.ContextID, PageSize: 1, PageToken: list.NextPageToken})
	if err != nil || len(list.Tasks) != 1 || list.Tasks[0].ID != done.ID {
		t.Errorf("its second page is %+v, %v", list, err)
	}
	card, err := c.GetExtendedAgentCard(ctx, &a2a.GetExtendedAgentCardRequest{})
	if err != nil || card.Name != "Sasha" {
		t.Errorf("the extended card is %+v, %v", card, err)
	}
}
