package gateway

import (
	"context"
	"errors"
	"net/http"
	"time"

	"errand"
	"errand/internal/store"
)

// LinkValid is how long a link that logs a browser in can be used, once: long
// enough to walk to another machine, too short to be found in what a terminal or a
// log keeps.
const LinkValid = 15 * time.Minute

// longestToken is how long a token may be valid that is to expire at all.
const longestToken = 10 * 365 * 24 * time.Hour

// LoginValid is how long a browser that was let in stays so.
const LoginValid = store.LoginValid

func badToken() error {
	return &Error{http.StatusUnauthorized, "token", "that token is not valid: it is wrong, has expired, or was revoked"}
}

// Login returns who acts by a token, of a program or of a browser.
func (g *Gateway) Login(ctx context.Context, token string) (Actor, error) {
	p, err := g.Store.PersonByToken(ctx, token)
	if errors.Is(err, store.ErrNotFound) {
		return Actor{}, badToken()
	}
	return actorFor(p), err
}

// NewLogin makes a token for a browser of whoever asks.
func (g *Gateway) NewLogin(ctx context.Context, by Actor, name string, validFor time.Duration) (string, error) {
	plain, _, err := g.Store.CreateToken(ctx, by.Person, store.TokenLogin, shortName(name), validFor)
	return plain, known(err)
}

// NewLink makes what logs one browser in as whoever asks, once and soon.
func (g *Gateway) NewLink(ctx context.Context, by Actor) (link string, expires time.Time, err error) {
	link, t, err := g.Store.CreateLink(ctx, by.Person, LinkValid)
	return link, t.Expires, known(err)
}

// RedeemLink makes a token for the browser that opens a link.
func (g *Gateway) RedeemLink(ctx context.Context, link, name string, validFor time.Duration) (string, error) {
	plain, t, err := g.Store.RedeemLink(ctx, link, shortName(name), validFor)
	if errors.Is(err, store.ErrNotFound) {
		return "", &Error{http.StatusUnauthorized, "link", "this link was used before, or is too old"}
	}
	if err == nil {
		g.Logger.Info("link opened", "token", t.ID, "person", t.Person)
	}
	return plain, err
}

// Logout ends the token that somebody shows, or their request to be let in.
func (g *Gateway) Logout(ctx context.Context, token string) error {
	err := g.Store.RevokeSecret(ctx, token)
	if errors.Is(err, store.ErrNotFound) {
		return badToken()
	}
	return err
}

// Tokens lists the tokens of a person, never what they are.
func (g *Gateway) Tokens(ctx context.Context, by Actor, id errand.PersonID) ([]Token, error) {
	if err := g.ownOr(ctx, by, id, toSeeTokens); err != nil {
		return nil, err
	}
	return g.Store.Tokens(ctx, id)
}

// CreateToken makes a token with which a program acts as a person. plain is shown
// once. validFor 0: it does not expire.
func (g *Gateway) CreateToken(ctx context.Context, by Actor, id errand.PersonID, name string, validFor time.Duration) (plain string, t Token, err error) {
	if err := g.ownOr(ctx, by, id, toMakeTokens); err != nil {
		return "", Token{}, err
	}
	if !by.Role.Includes(errand.Member) {
		return "", Token{}, forbidden("tokens are for the role %s and above", g.Rights.Name(errand.Member))
	}
	if validFor < 0 || validFor > longestToken {
		return "", Token{}, badRequest("days", "a token is valid for at most ten years, or, with 0, until it is revoked")
	}
	plain, t, err = g.Store.CreateToken(ctx, id, store.TokenAPI, shortName(name), validFor)
	if err == nil {
		g.Logger.Info("token made", "token", t.ID, "person", id, "by", by.Person)
	}
	return plain, t, known(err)
}

// RevokeToken ends a token at once.
func (g *Gateway) RevokeToken(ctx context.Context, by Actor, id string) error {
	t, err := g.Store.Token(ctx, id)
	if err == nil {
		if err = g.ownOr(ctx, by, t.Person, toRevokeTokens); err == nil {
			err = g.Store.RevokeToken(ctx, id)
		}
	}
	if err == nil {
		g.Logger.Info("token revoked", "token", id, "person", t.Person, "by", by.Person)
	}
	return known(err)
}
