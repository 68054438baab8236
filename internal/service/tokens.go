package service

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/store"
)

// LinkValid is how long a link that logs a browser in can be used, once: long
// enough to walk to another machine, too short to be found in what a terminal or a
// log keeps.
const LinkValid = 15 * time.Minute

const longestToken = 10 * 365 * 24 * time.Hour

// LoginValid is how long a browser that was let in stays so.
const LoginValid = store.LoginValid

func badToken() error {
	return Refuse(KindUnauthenticated, "token", "refusal.token")
}

// Login returns who acts by a token, of a program or of a browser.
func (s *Service) Login(ctx context.Context, token string) (Actor, error) {
	p, shown, err := s.Store.PersonByToken(ctx, token)
	if errors.Is(err, store.ErrNotFound) {
		return Actor{}, badToken()
	}
	by := ActorFor(p)
	if err != nil {
		return by, err
	}
	by.token, by.login, by.program = shown.Bound(), shown.ID, shown.Program
	if err := s.Store.NoteTokenUsed(ctx, shown); err != nil {
		s.Logger.Debug("use of a token not noted", "token", shown.ID, "error", err)
	}
	return by.Scoped(rights.Scope(shown.Scope)), nil
}

// goneWithToken is the error of an actor whose token, or who, has ended meanwhile.
func goneWithToken(err error) error {
	if errors.Is(err, store.ErrNotFound) {
		return badToken()
	}
	return Known(err)
}

// NewLogin makes a token for a browser of whoever asks. It ends with the token that
// they ask by.
func (s *Service) NewLogin(ctx context.Context, by Actor, name string, validFor time.Duration) (string, error) {
	if err := s.may(by, rights.SelfChange); err != nil {
		return "", err
	}
	ctx = doing(ctx, by)
	plain, _, err := s.Store.CreateToken(ctx, store.Token{Person: by.Person, Kind: store.TokenLogin, Name: ShortName(name), Parent: by.token, Program: by.program, Scope: string(by.scope)}, validFor)
	return plain, goneWithToken(err)
}

// NewLink makes what logs one browser in as whoever asks, once and soon. Both the link
// and the login end with the token that they ask by.
func (s *Service) NewLink(ctx context.Context, by Actor) (link string, expires time.Time, err error) {
	if err := s.may(by, rights.LinksMake); err != nil {
		return "", time.Time{}, err
	}
	ctx = doing(ctx, by)
	link, t, err := s.Store.CreateLink(ctx, store.Token{Person: by.Person, Parent: by.token, Program: by.program, Scope: string(by.scope)}, LinkValid)
	return link, t.Expires, goneWithToken(err)
}

// RedeemLink makes a token for the browser that opens a link.
func (s *Service) RedeemLink(ctx context.Context, link, name string, validFor time.Duration) (string, error) {
	plain, t, err := s.Store.RedeemLink(ctx, link, ShortName(name), validFor)
	if errors.Is(err, store.ErrNotFound) {
		return "", Refuse(KindUnauthenticated, "link", "refusal.link")
	}
	if err == nil {
		s.Logger.Info("link opened", "token", t.ID, "person", t.Person)
	}
	return plain, err
}

// Logout ends the token that somebody shows, or their request to be let in.
func (s *Service) Logout(ctx context.Context, token string) error {
	err := s.Store.RevokeSecret(ctx, token)
	if errors.Is(err, store.ErrNotFound) {
		return badToken()
	}
	return err
}

// Tokens lists the tokens of a person, never what they are.
func (s *Service) Tokens(ctx context.Context, by Actor, id errand.PersonID) ([]Token, error) {
	if err := s.mayTo(ctx, by, id, rights.SelfRead, rights.TokensRead); err != nil {
		return nil, err
	}
	return s.Store.Tokens(ctx, id)
}

// A NewToken is a token that somebody asks for.
type NewToken struct {
	Name     string
	ValidFor time.Duration // 0: it does not expire
	Scope    string        // what it is for; empty: all that its person may do
}

// CreateToken makes a token with which a program acts as a person. plain is shown
// once. If by acts by a token, the new token ends with that one, whose person it is for does
// not matter: otherwise a token that expires could be made to last. An empty scope is that of
// by's token. No scope is wider than it, and the role is at most that of its person.
func (s *Service) CreateToken(ctx context.Context, by Actor, id errand.PersonID, in NewToken) (plain string, t Token, err error) {
	if err := s.mayTo(ctx, by, id, rights.SelfChange, rights.TokensMake); err != nil {
		return "", Token{}, err
	}
	ctx = doing(ctx, by)
	if !by.Role.Includes(errand.Member) {
		return "", Token{}, Forbidden("refusal.tokens", "role", s.roleWord(errand.Member))
	}
	if in.ValidFor < 0 || in.ValidFor > longestToken {
		return "", Token{}, Invalid("days", "refusal.days")
	}
	scope, err := rights.ParseScope(in.Scope)
	if err != nil {
		return "", Token{}, Invalid("scope", "refusal.unknown_scope", "scope", strconv.Quote(errand.Cut(in.Scope, 40)), "scopes", strings.Join(rights.ScopeNames(), ", "))
	}
	scope = cmp.Or(scope, by.scope)
	if !by.scope.Includes(scope) {
		return "", Token{}, Forbidden("refusal.scope_wider", "scope", string(scope), "yours", string(by.scope))
	}
	plain, t, err = s.Store.CreateToken(ctx, store.Token{Person: id, Kind: store.TokenAPI, Name: ShortName(in.Name), Parent: by.token, Scope: string(scope)}, in.ValidFor)
	if by.token != "" {
		err = goneWithToken(err)
	}
	if err == nil {
		s.Logger.Info("token made", "token", t.ID, "person", id, "by", by.Person)
	}
	return plain, t, Known(err)
}

// RevokeOwnToken ends a token of whoever asks at once. Of one that is somebody else's they are
// not told that it is there.
func (s *Service) RevokeOwnToken(ctx context.Context, by Actor, id string) error {
	if err := s.may(by, rights.SelfChange); err != nil {
		return err
	}
	t, err := s.Store.Token(ctx, id)
	if err == nil && t.Person != by.Person {
		err = store.NoToken(id)
	}
	if err != nil {
		return Known(err)
	}
	return s.RevokeToken(ctx, by, id)
}

// RevokeToken ends a token at once.
func (s *Service) RevokeToken(ctx context.Context, by Actor, id string) error {
	if err := s.may(by, rights.SelfChange); err != nil {
		return err
	}
	ctx = doing(ctx, by)
	t, err := s.Store.Token(ctx, id)
	if err == nil {
		if err = s.mayTo(ctx, by, t.Person, rights.SelfChange, rights.TokensRevoke); err == nil {
			err = s.Store.RevokeToken(ctx, id)
		}
	}
	if err == nil {
		s.Logger.Info("token revoked", "token", id, "person", t.Person, "by", by.Person)
	}
	return Known(err)
}
