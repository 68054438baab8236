package service

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/push"
	"errand/internal/store"
)

// Webhooks calls programs; *push.WebhookSender is the one in production.
type Webhooks interface {
	// Check returns the normal form of an address, or why it is refused.
	Check(address string) (string, error)
	Send(context.Context, push.Request) error
}

// Hooks has the operations on webhooks, which notify programs when tasks end.
type Hooks struct{ *Deps }

func (h *Hooks) bind(r *ops.Runner) {
	ops.Bind(r, api.ListHooks, h.list)
	ops.Bind(r, api.TryHook, h.try)
	ops.Bind(r, api.GetHookSecret, h.secret)
}

func (h *Hooks) list(ctx context.Context, by actor.Actor, in api.ListHooksInput) (api.List[core.Webhook], error) {
	person, err := h.whose(by, in.Person.Person)
	if err != nil {
		return api.List[core.Webhook]{}, err
	}
	after, err := ParseCursor(api.ListHooks.Name, in.After.After)
	if err != nil {
		return api.List[core.Webhook]{}, err
	}
	list, err := paged(h.Store.Webhooks(ctx, person, Page{After: after, Limit: in.Limit}))
	return page(api.ListHooks.Name, in.Limit, list, store.PositionOfWebhook), err
}

func (h *Hooks) secret(ctx context.Context, by actor.Actor, in api.HookSecretInput) (api.HookSecret, error) {
	secret, err := h.Store.WebhookSecret(ctx, by.Person, push.NewSecret(), in.Body.Renew)
	return api.HookSecret{Secret: secret}, err
}

// try sends a webhook of type "test" to an address, without retries.
func (h *Hooks) try(ctx context.Context, by actor.Actor, in api.TryHookInput) (api.TriedHook, error) {
	to, err := h.Webhooks.Check(in.Body.URL)
	if err != nil {
		return api.TriedHook{}, Invalid("url", "refusal.callback", "why", err.Error())
	}
	out := push.Request{ID: store.NewWebhookID(), URL: to, At: h.Now()}
	if out.Secret, err = h.Store.WebhookSecret(ctx, by.Person, push.NewSecret(), false); err != nil {
		return api.TriedHook{}, err
	}
	out.Body, err = json.Marshal(map[string]any{"type": "test", "timestamp": out.At.UTC().Format(time.RFC3339), "data": map[string]any{}})
	if err != nil {
		return api.TriedHook{}, err
	}
	err = h.Webhooks.Send(ctx, out)
	var no *push.Error
	if errors.As(err, &no) {
		return api.TriedHook{ID: out.ID, Status: no.Status, Reason: no.Reason}, nil
	}
	return api.TriedHook{ID: out.ID, OK: err == nil}, err
}
