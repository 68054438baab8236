package service

import (
	"context"
	"errors"

	"errand/internal/rights"
	"errand/internal/store"
	"errand/internal/webpush"
)

// Browsers are told of what comes while no page is open; *webpush.Sender is the one in
// production.
type Browsers interface {
	// Check says why nobody could be told over a subscription.
	Check(webpush.Subscription) error
	// IsOwn reports whether a subscription leads to a host that the operator has allowed.
	IsOwn(webpush.Subscription) bool
	// PublicKey is what browsers subscribe with.
	PublicKey() string
}

// A PushSubscription is a browser that is told of what comes while no page is open, and a
// PushRenewal what it leaves to its subscription before.
type (
	PushSubscription = store.PushSubscription
	PushRenewal      = store.PushRenewal
)

// PushKey is what browsers subscribe with.
func (s *Service) PushKey(by Actor) (string, error) {
	if err := s.may(by, rights.SelfRead); err != nil {
		return "", err
	}
	return s.Browsers.PublicKey(), nil
}

// PushSubscriptions lists the actor's own browsers that are told.
func (s *Service) PushSubscriptions(ctx context.Context, by Actor) ([]PushSubscription, error) {
	if err := s.may(by, rights.SelfRead); err != nil {
		return nil, err
	}
	return s.Store.PushSubscriptions(ctx, by.Person)
}

// SetPushSubscription has a browser of the actor's own told. It is told no longer than the
// token is valid that they ask by, and the same endpoint is the same browser.
func (s *Service) SetPushSubscription(ctx context.Context, by Actor, p PushSubscription, r PushRenewal) (PushSubscription, error) {
	if err := s.may(by, rights.SelfChange); err != nil {
		return p, err
	}
	if err := s.Browsers.Check(webpush.Subscription{Endpoint: p.Endpoint, P256DH: p.P256DH, Auth: p.Auth}); err != nil {
		return p, Invalid("push_subscription", "refusal.push_subscription", "why", err.Error())
	}
	// Who may not have programs called there may not have it tried in this way.
	if s.Browsers.IsOwn(webpush.Subscription{Endpoint: p.Endpoint}) {
		if err := s.may(by, rights.TasksDelegate); err != nil {
			return p, err
		}
	}
	p.Person, p.Login, p.Label = by.Person, by.login, ShortName(p.Label)
	p, err := s.Store.PutPushSubscription(ctx, p, r)
	if errors.Is(err, store.ErrOtherBrowser) {
		return p, Refuse(KindConflict, "push_other", "refusal.push_other")
	}
	return p, goneWithToken(err)
}

// DeletePushSubscription has a browser of the actor's own told no more.
func (s *Service) DeletePushSubscription(ctx context.Context, by Actor, id string) error {
	if err := s.may(by, rights.SelfChange); err != nil {
		return err
	}
	return Known(s.Store.DeletePushSubscription(ctx, by.Person, id))
}
