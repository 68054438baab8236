package service

import (
	"context"
	"errors"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/push"
	"errand/internal/rights"
	"errand/internal/store"
)

// Browsers sends web pushes. Production uses *webpush.Sender.
type Browsers interface {
	// Check returns an error if errand may not send to a subscription.
	Check(push.Subscription) error
	IsOwn(push.Subscription) bool
	// PublicKey returns the key that browsers subscribe with.
	PublicKey() string
}

// Pushes has the operations on the browsers of the actor that get push notifications.
type Pushes struct {
	*Env
	browsers Browsers
}

func (p *Pushes) bind(r *ops.Runner) {
	ops.Bind(r, api.GetPush, p.get)
	ops.Bind(r, api.SetPushSubscription, p.set)
	ops.Bind(r, api.DeletePushSubscription, p.delete)
}

func (p *Pushes) get(ctx context.Context, by actor.Actor, _ api.None) (out api.Push, err error) {
	out.Key = p.browsers.PublicKey()
	out.Subscriptions, err = p.Store.PushSubscriptions(ctx, by.Person)
	return out, err
}

// set stores a subscription, which ends with the actor's token.
func (p *Pushes) set(ctx context.Context, by actor.Actor, in api.SetPushSubscriptionInput) (core.PushSubscription, error) {
	s := core.PushSubscription{Person: by.Person, Login: by.Login(), Label: ShortName(in.Label),
		Endpoint: in.Body.Endpoint, P256DH: in.Body.P256DH, Auth: in.Body.Auth}
	if err := p.browsers.Check(push.Subscription{Endpoint: s.Endpoint, P256DH: s.P256DH, Auth: s.Auth}); err != nil {
		return s, Invalid("push_subscription", "refusal.push_subscription", "why", err.Error())
	}
	// An actor who may not make errand call programs on the operator's hosts may not reach them
	// this way either.
	if p.browsers.IsOwn(push.Subscription{Endpoint: s.Endpoint}) {
		if err := p.may(by, rights.TasksDelegate); err != nil {
			return s, err
		}
	}
	s, err := p.Store.PutPushSubscription(ctx, s, store.PushRenewal{Words: in.Body.Words, Replaces: in.Body.Replaces})
	if errors.Is(err, store.ErrOtherBrowser) {
		return s, Refuse(KindConflict, "push_other", "refusal.push_other")
	}
	return s, goneWithToken(err)
}

func (p *Pushes) delete(ctx context.Context, by actor.Actor, in api.PushSubscriptionID) (api.DeletedPushSubscription, error) {
	return api.DeletedPushSubscription(in), Known(p.Store.DeletePushSubscription(ctx, by.Person, in.ID))
}
