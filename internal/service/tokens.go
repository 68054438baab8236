package service

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/store"
)

// LinkValid is how long a login link is valid. It works once. The time is long enough to walk to
// another machine, and too short for the link to be found in a log.
const LinkValid = 15 * time.Minute

const (
	maxTokenDays = 3650
	maxTokenName = 60 // characters
)

// Tokens has the operations on tokens, the secrets of programs and browsers.
type Tokens struct{ *Env }

func (t *Tokens) bind(r *ops.Runner) {
	ops.Bind(r, api.ListOwnTokens, t.listOwn)
	ops.Bind(r, api.CreateOwnToken, t.createOwn)
	ops.Bind(r, api.RevokeOwnToken, t.revokeOwn)
	ops.Bind(r, api.ListTokens, t.list)
	ops.Bind(r, api.CreateToken, t.create)
	ops.Bind(r, api.RevokeToken, t.revoke)
	ops.Bind(r, api.CreateLoginLink, t.createLoginLink)
}

func (t *Tokens) listOwn(ctx context.Context, by actor.Actor, _ api.None) ([]core.Token, error) {
	return t.Store.Tokens(ctx, by.Person)
}

func (t *Tokens) list(ctx context.Context, by actor.Actor, in api.PersonID) ([]core.Token, error) {
	p, err := t.findPersonBelow(ctx, by, in)
	if err != nil {
		return nil, err
	}
	return t.Store.Tokens(ctx, p.ID)
}

func (t *Tokens) createOwn(ctx context.Context, by actor.Actor, in api.CreateOwnTokenInput) (api.MadeToken, error) {
	return t.make(ctx, by, by.Person, in.Body)
}

func (t *Tokens) create(ctx context.Context, by actor.Actor, in api.CreateTokenInput) (api.MadeToken, error) {
	p, err := t.findPersonBelow(ctx, by, in.PersonID)
	if err == nil && p.ID == by.Person {
		err = t.may(by, rights.SelfChange)
	}
	if err != nil {
		return api.MadeToken{}, err
	}
	return t.make(ctx, by, p.ID, in.Body)
}

// make creates a token with which a program acts as a person. If the actor uses a token, the new
// one ends with it, because otherwise a token that expires could create one that lasts. Its scope
// is that of the actor's token by default, and never wider. The caller has checked that the
// person's role is not above the actor's.
func (t *Tokens) make(ctx context.Context, by actor.Actor, id core.PersonID, in api.NewToken) (made api.MadeToken, err error) {
	if !by.Role.Includes(core.Member) {
		return made, Forbidden("refusal.tokens", "role", t.roleWord(core.Member))
	}
	if in.Days < 0 || in.Days > maxTokenDays {
		return made, Invalid("days", "refusal.days")
	}
	name, err := Words(in.Name, "name", maxTokenName)
	if err != nil {
		return made, err
	}
	scope, err := rights.ParseScope(in.Scope)
	if err != nil {
		return made, Invalid("scope", "refusal.unknown_scope", "scope", strconv.Quote(core.Cut(in.Scope, 40)), "scopes", strings.Join(rights.ScopeNames(), ", "))
	}
	scope = cmp.Or(scope, by.Scope())
	if !by.Scope().Includes(scope) {
		return made, Forbidden("refusal.scope_wider", "scope", string(scope), "yours", string(by.Scope()))
	}
	token := core.Token{Person: id, Kind: core.TokenAPI, Name: ShortName(name), Parent: by.Token(), Scope: string(scope)}
	made.Secret, made.Token, err = t.Store.CreateToken(ctx, token, time.Duration(in.Days)*24*time.Hour)
	if by.Token() != "" {
		err = goneWithToken(err)
	}
	if err == nil {
		t.Logger.Info("token made", "token", made.ID, "person", id, "by", by.Person)
	}
	return made, Known(err)
}

// revokeOwn answers not_found for other people's tokens.
func (t *Tokens) revokeOwn(ctx context.Context, by actor.Actor, in api.TokenID) (api.RevokedToken, error) {
	token, err := t.Store.Token(ctx, in.ID)
	if err == nil && token.Person != by.Person {
		err = store.NoToken(in.ID)
	}
	return t.end(ctx, by, token, err)
}

func (t *Tokens) revoke(ctx context.Context, by actor.Actor, in api.TokenID) (api.RevokedToken, error) {
	if err := t.may(by, rights.SelfChange); err != nil {
		return api.RevokedToken{}, err
	}
	token, err := t.Store.Token(ctx, in.ID)
	if err == nil && token.Person != by.Person {
		var owner core.Person
		if owner, err = t.Store.Person(ctx, token.Person); err == nil {
			err = t.notAbove(by, owner)
		}
	}
	return t.end(ctx, by, token, err)
}

func (t *Tokens) end(ctx context.Context, by actor.Actor, token core.Token, err error) (api.RevokedToken, error) {
	if err == nil {
		err = t.Store.RevokeToken(ctx, token.ID)
	}
	if err == nil {
		t.Logger.Info("token revoked", "token", token.ID, "person", token.Person, "by", by.Person)
	}
	return api.RevokedToken{ID: token.ID}, Known(err)
}

// createLoginLink creates a link that logs in one browser as the actor, within [LinkValid]. The
// link and the login end with the actor's token.
func (t *Tokens) createLoginLink(ctx context.Context, by actor.Actor, in api.CreateLoginLinkInput) (api.LoginLink, error) {
	link := core.Token{Person: by.Person, Kind: core.TokenLink, Parent: by.Token(), Program: by.IsProgram(), Scope: string(by.Scope())}
	secret, made, err := t.Store.CreateToken(ctx, link, LinkValid)
	return api.LoginLink{Addresses: in.Addresses, Expires: made.Expires, Path: "/open#" + secret, PublicURL: in.PublicURL}, goneWithToken(err)
}
