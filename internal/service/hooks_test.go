package service_test

import (
	"context"
	"testing"

	"errand/api"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/push"
	"errand/internal/service"
	"errand/internal/test/servicetest"
)

// TestTrigger proves that what a program asks for twice is one task, and which requests are
// refused before there is one.
func TestTrigger(t *testing.T) {
	h := newHouse(t, nil)
	ask := func(callback, key, body string) (core.Task, error) {
		return h.CreateTask(t.Context(), as(core.Member), api.CreateTaskInput{Callback: callback, Key: key, Hash: body, Body: api.NewTask{Agents: []core.AgentName{"sasha"}, Text: "x"}})
	}
	for _, address := range []string{"file:///etc/passwd", "http://a:b@example.org", "http://", "http://0.0.0.0", "http://127.0.0.1:8080", "http://10.0.0.1/x", "http://localhost"} {
		_, err := ask(address, "", "")
		servicetest.WantRefusal(t, err, service.KindInvalid, "errand cannot send to that address")
	}
	_, err := ask("", "a\nb", "")
	servicetest.WantRefusal(t, err, service.KindInvalid, "Idempotency-Key")
	first := servicetest.Must(ask("https://example.org", "k", "one"))(t)
	if again := servicetest.Must(ask("https://example.org", "k", "one"))(t); again.ID != first.ID {
		t.Errorf("the same request is %s and %s", first.ID, again.ID)
	}
	_, err = ask("https://example.org", "k", "two")
	servicetest.WantRefusal(t, err, service.KindConflict, "was used for another request")
	if list := servicetest.Must(ops.Do(t.Context(), h.Runner, api.ListHooks, as(core.Member), api.ListHooksInput{}))(t).Items; len(list) != 1 || list[0].Task != first.ID {
		t.Errorf("webhooks: %+v", list)
	}
}

// A receiver takes what is sent, or does not.
type receiver struct {
	*push.WebhookSender
	err error
	got []push.Request
}

func (r *receiver) Send(_ context.Context, in push.Request) error {
	r.got = append(r.got, in)
	return r.err
}

// TestTryHook proves what a person learns who tries an address out.
func TestTryHook(t *testing.T) {
	h := newHouse(t, nil)
	ctx := t.Context()
	to := &receiver{WebhookSender: servicetest.Must(push.NewWebhookSender(nil))(t)}
	h.Webhooks = to
	_, err := h.TryHook(ctx, as(core.Member), "http://10.0.0.1")
	servicetest.WantRefusal(t, err, service.KindInvalid, "errand cannot send to that address")
	if tried := servicetest.Must(h.TryHook(ctx, as(core.Member), "https://example.org"))(t); !tried.OK {
		t.Errorf("taken: %+v", tried)
	}
	to.err = &push.Error{Status: 500, Reason: "the receiver answered 500"}
	if tried := servicetest.Must(h.TryHook(ctx, as(core.Member), "https://example.org"))(t); tried.OK || tried.Status != 500 || tried.Reason == "" {
		t.Errorf("not taken: %+v", tried)
	}
	secret := servicetest.Must(h.HookSecret(ctx, as(core.Member), false))(t)
	if len(to.got) != 2 || to.got[0].Secret != secret.Secret || to.got[0].ID == to.got[1].ID {
		t.Errorf("sent: %+v", to.got)
	}
	if servicetest.Must(h.HookSecret(ctx, as(core.Member), true))(t) == secret {
		t.Error("no other secret was drawn")
	}
}
