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

// TestA2ADoor proves that an A2A client finds an agent by its card, gives it a task, answers its
// question once, though it says so twice, and reads the result; and that a stranger reads a card
// without private words and does nothing. .ci/a2a/clients.mjs does the rest, over both bindings.
func TestA2ADoor(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil)
	client := in.a2aClient("sasha")
	said := func(m *a2a.Message) (*a2a.Task, error) {
		got, err := client.SendMessage(t.Context(), &a2a.SendMessageRequest{Message: m})
		task, _ := got.(*a2a.Task)
		return task, err
	}
	asks, err := said(a2a.NewMessage(a2a.MessageRoleUser, a2a.NewTextPart(do(tool("ask_user", map[string]string{"question": "Which day?"})))))
	if err != nil || asks == nil || asks.Status.State != a2a.TaskStateInputRequired || asks.Status.Message.Parts[0].Text() != "Which day?" {
		t.Fatalf("a task that asks is %+v, %v", asks, err)
	}
	answer := a2a.NewMessageForTask(a2a.MessageRoleUser, a2a.TaskInfo{TaskID: asks.ID}, a2a.NewTextPart("Monday"))
	for range 2 {
		done, err := said(answer)
		if err != nil || done == nil || done.ID != asks.ID || done.Status.State != a2a.TaskStateCompleted || strings.Count(done.Artifacts[0].Parts[0].Text(), "Monday") != 1 {
			t.Errorf("with the answer it is %+v, %v", done, err)
		}
	}
	if _, err := said(a2a.NewMessageForTask(a2a.MessageRoleUser, a2a.TaskInfo{TaskID: asks.ID}, a2a.NewTextPart("Tuesday"))); !errors.Is(err, a2a.ErrUnsupportedOperation) {
		t.Errorf("what is said to a task that has ended is answered %v", err)
	}
	if _, err := said(a2a.NewMessageForTask(a2a.MessageRoleUser, a2a.TaskInfo{TaskID: "t-unknown1"}, a2a.NewTextPart("Monday"))); !errors.Is(err, a2a.ErrTaskNotFound) {
		t.Errorf("what is said to a task that is not there is answered %v", err)
	}

	for _, path := range []string{"/", "/a2a/sasha", "/a2a/nobody"} {
		card, err := agentcard.DefaultResolver.Resolve(t.Context(), "http://"+in.Address+path)
		if err != nil || len(card.SupportedInterfaces) != 2 || card.SupportedInterfaces[0].ProtocolVersion != "1.0" || len(card.SecuritySchemes) == 0 || strings.Contains(card.Description, "Oslo") {
			t.Errorf("the card of %s is %+v, %v", path, card, err)
		}
	}
	resp, err := http.Post("http://"+in.Address+"/a2a/sasha", "application/json", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"t-1"}}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if resp.StatusCode != http.StatusUnauthorized || !strings.Contains(resp.Header.Get("WWW-Authenticate"), "Bearer") {
		t.Errorf("a stranger is answered %d, %q", resp.StatusCode, resp.Header.Get("WWW-Authenticate"))
	}
}

// a2aClient is a client of the owner's that has found an agent by its card.
func (in *installation) a2aClient(agent string) *a2aclient.Client {
	in.t.Helper()
	owner, err := ownerkey.Read(in.opts.Config.Data)
	if err != nil {
		in.t.Fatal(err)
	}
	through := &http.Client{Transport: bearer(owner)}
	card, err := (&agentcard.Resolver{Client: through}).Resolve(in.t.Context(), "http://"+in.Address+"/a2a/"+agent)
	if err != nil || len(card.Skills) != 1 || card.Skills[0].Description == "" || !card.Capabilities.PushNotifications {
		in.t.Fatalf("the card is %+v, %v", card, err)
	}
	client, err := a2aclient.NewFromCard(in.t.Context(), card, a2aclient.WithDefaultsDisabled(), a2aclient.WithJSONRPCTransport(through))
	if err != nil {
		in.t.Fatal(err)
	}
	return client
}
