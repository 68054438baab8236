package web

import (
	"context"
	"time"

	"errand/internal/actor"
	"errand/internal/core"
)

// Logins identifies callers and logs browsers in; [service.Logins] in production. An invalid secret
// is a [*service.Error] with status 401.
type Logins interface {
	Login(ctx context.Context, token string) (actor.Actor, error)
	ActorOf(context.Context, core.PersonID) (actor.Actor, error)
	// NewLogin makes a token for a browser. Logout revokes it.
	NewLogin(ctx context.Context, by actor.Actor, name string, validFor time.Duration) (string, error)
	Logout(ctx context.Context, token string) error
	// RedeemLink makes a token for the browser that opens a link.
	RedeemLink(ctx context.Context, link, name string, validFor time.Duration) (string, error)
	AskLogin(ctx context.Context, name, language, address string) (core.Pairing, string, error)
	LoginState(ctx context.Context, secret string) (string, actor.Actor, error)
}
