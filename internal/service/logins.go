package service

import (
	"context"
	"errors"
	"time"

	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/rights"
	"errand/internal/store"
)

// LoginValid is how long a browser stays logged in.
const LoginValid = store.LoginValid

// Logins identifies callers and logs browsers in. Most callers have no actor yet, so these methods
// are not operations.
type Logins struct {
	*Env
	access AccessRules
}

func badToken() error {
	return Refuse(KindUnauthenticated, "token", "refusal.token")
}

func goneWithToken(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return badToken()
	}
	return Known(err)
}

// ActorOf returns a person as an actor, with their current role.
func (l *Logins) ActorOf(ctx context.Context, id core.PersonID) (actor.Actor, error) {
	return l.actorOf(ctx, id)
}

// Login returns the actor of a program's or a browser's token.
func (l *Logins) Login(ctx context.Context, token string) (actor.Actor, error) {
	p, shown, err := l.Store.PersonByToken(ctx, token)
	if errors.Is(err, store.ErrNotFound) {
		return actor.Actor{}, badToken()
	}
	by := ActorFor(p)
	if err != nil {
		return by, err
	}
	by = by.WithToken(shown.Bound(), shown.ID)
	if shown.Program {
		by = by.AsProgram()
	}
	if err := l.Store.NoteTokenUsed(ctx, shown); err != nil {
		l.Logger.Debug("last use of a token not saved", "token", shown.ID, "error", err)
	}
	return by.Scoped(rights.Scope(shown.Scope)), nil
}

// NewLogin makes a token for a browser of the actor. It expires with the actor's own token, if any.
func (l *Logins) NewLogin(ctx context.Context, by actor.Actor, name string, validFor time.Duration) (string, error) {
	if err := l.may(by, rights.SelfChange); err != nil {
		return "", err
	}
	ctx = actor.NewContext(ctx, by)
	plain, _, err := l.Store.CreateToken(ctx, core.Token{Person: by.Person, Kind: core.TokenLogin, Name: ShortName(name),
		Parent: by.Token(), Program: by.IsProgram(), Scope: string(by.Scope())}, validFor)
	return plain, goneWithToken(err)
}

// RedeemLink makes a token for the browser that opens a login link.
func (l *Logins) RedeemLink(ctx context.Context, link, name string, validFor time.Duration) (string, error) {
	plain, t, err := l.Store.RedeemLink(ctx, link, ShortName(name), validFor)
	if errors.Is(err, store.ErrNotFound) {
		return "", Refuse(KindUnauthenticated, "link", "refusal.link")
	}
	if err == nil {
		l.Logger.Info("link opened", "token", t.ID, "person", t.Person)
	}
	return plain, err
}

// Logout revokes a token, or withdraws a request for access.
func (l *Logins) Logout(ctx context.Context, token string) error {
	err := l.Store.RevokeSecret(ctx, token)
	if errors.Is(err, store.ErrNotFound) {
		return badToken()
	}
	return err
}

// AskLogin requests access for a browser. The secret logs the browser in once the request is
// approved.
func (l *Logins) AskLogin(ctx context.Context, name, language, address string) (p core.Pairing, secret string, err error) {
	access := l.access.On(core.WebRoute(""))
	if access.Mode == AccessAllowlist {
		return p, "", Forbidden("refusal.ask")
	}
	secret = store.NewSecret()
	ask := store.AskPairing{Secret: secret, Pairing: core.Pairing{
		Channel: core.ChannelWeb, Account: core.LocalAccount, ExternalID: "browser-" + core.ShortID(8),
		Name: ShortName(name), Language: KnownLanguage(language), Address: address,
	}}
	p, _, err = l.Store.AskPairing(ctx, ask)
	if err == nil && access.Mode == AccessOpen {
		var in store.Approved
		in, _, err = l.Store.Approve(ctx, store.ApprovePairing{Code: p.Code, Role: access.RoleOr(core.Guest)})
		p = in.Pairing
	}
	if err != nil {
		return p, "", err
	}
	l.Logger.Info("access requested", "channel", p.Channel, "sender", p.ExternalID)
	return p, secret, nil
}

// LoginState returns the state of a browser's request: pending, approved, denied or expired.
func (l *Logins) LoginState(ctx context.Context, secret string) (string, actor.Actor, error) {
	by, err := l.Login(ctx, secret)
	if err == nil {
		return string(core.PairingApproved), by, nil
	}
	var refusal *Error
	if !errors.As(err, &refusal) {
		return "", actor.Actor{}, err
	}
	p, err := l.Store.PairingBySecret(ctx, secret)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return "", actor.Actor{}, badToken()
	case err != nil:
		return "", actor.Actor{}, err
	case p.State == core.PairingApproved: // its token has ended since
		return string(core.PairingExpired), actor.Actor{}, nil
	}
	return string(p.State), actor.Actor{}, nil
}
