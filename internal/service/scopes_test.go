package service_test

import (
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/service/servicetest"
)

// TestCapabilitiesOfScopes walks every method with a token of every scope, and the role that
// may everything: what the scope is not for is refused.
func TestCapabilitiesOfScopes(t *testing.T) {
	h := newHouse(t, nil)
	for method, list := range deeds() {
		for _, d := range list {
			if strings.Contains(d.capability, "_") {
				continue // an agent does it for somebody: the scope is not its
			}
			for _, name := range rights.ScopeNames() {
				scope := rights.Scope(name)
				if scope.Covers(d.capability) || method == "TurnUsage" && scope.Covers(rights.MessagesSend) {
					continue // and is done
				}
				if err := d.try(t.Context(), h, as(errand.MasterAdmin).Scoped(scope)); !isForbidden(err) {
					t.Errorf("%s, which needs %s, by a token for %s: %v", method, d.capability, scope, err)
				}
			}
		}
	}
}

// TestTurnUsage proves that a token which may send messages may know what their answers have
// used, unless its person may not read what is used.
func TestTurnUsage(t *testing.T) {
	h := newHouse(t, nil)
	if _, err := h.TurnUsage(t.Context(), as(errand.Member).Scoped(rights.ScopeChat), "none", 1); err != nil {
		t.Errorf("a token for chat: %v", err)
	}
	if _, err := h.TurnUsage(t.Context(), as("").Scoped(rights.ScopeChat), "none", 1); !isForbidden(err) {
		t.Errorf("a person without a role: %v", err)
	}
}

// TestScopedTokens proves that a token does what it is for and no more, and that what is made
// by it is no wider.
func TestScopedTokens(t *testing.T) {
	h := newHouse(t, nil)
	ctx := t.Context()
	login := func(by service.Actor, scope string) service.Actor {
		t.Helper()
		plain, _, err := h.CreateToken(ctx, by, by.Person, service.NewToken{Name: "x", ValidFor: time.Hour, Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		return servicetest.Must(h.Login(ctx, plain))(t)
	}
	reads, all := login(as(errand.MasterAdmin), "read"), login(as(errand.MasterAdmin), "")
	_, err := h.Delegate(ctx, reads, service.Delegation{Agents: []errand.AgentName{"trains"}, Text: "x"})
	servicetest.WantRefusal(t, err, service.KindForbidden, "for read only")
	servicetest.Must(h.Tasks(ctx, reads, service.TaskFilter{}))(t)
	_, err = h.Tasks(ctx, reads, service.TaskFilter{Person: "*"})
	servicetest.WantRefusal(t, err, service.KindForbidden, "for read only")
	servicetest.Must(h.Tasks(ctx, all, service.TaskFilter{Person: "*"}))(t)
	if reads.IsMasterAdmin() || !all.IsMasterAdmin() {
		t.Error("a token for read is everything, or one for everything is not")
	}

	admin := login(as(errand.MasterAdmin), "admin,read")
	_, _, err = h.CreateToken(ctx, reads, reads.Person, service.NewToken{})
	servicetest.WantRefusal(t, err, service.KindForbidden, "for read only")
	chats := login(admin, "chat")
	_, err = h.Tasks(ctx, chats, service.TaskFilter{})
	servicetest.WantRefusal(t, err, service.KindForbidden, "for chat only")
	if inherits := login(admin, ""); h.MayDecide(inherits) == nil || !inherits.IsMasterAdmin() {
		t.Error("what a token makes is not for what it is for")
	}
	plain := servicetest.Must(h.NewLogin(ctx, admin, "browser", time.Hour))(t)
	_, token, err := h.CreateToken(ctx, servicetest.Must(h.Login(ctx, plain))(t), "member", service.NewToken{})
	if err != nil || token.Scope != "read admin" {
		t.Errorf("what a login makes is for %q, %v", token.Scope, err)
	}
	for _, scope := range []string{"everything", " ", ","} {
		_, _, err = h.CreateToken(ctx, as(errand.Member), "member", service.NewToken{Scope: scope})
		servicetest.WantRefusal(t, err, service.KindInvalid, "no scope")
	}
}

// TestTokenForAnotherPerson proves that what a token makes for another person ends with the
// token, and never has more rights than the person of the token has now.
func TestTokenForAnotherPerson(t *testing.T) {
	h := newHouse(t, nil)
	ctx := t.Context()
	owner := as(errand.MasterAdmin)
	for _, id := range []errand.PersonID{"member", "guest"} {
		servicetest.Must(h.SetRole(ctx, owner, id, errand.MasterAdmin))(t)
	}
	login := func(by service.Actor, of errand.PersonID, in service.NewToken) (service.Actor, service.Token, string) {
		t.Helper()
		plain, token, err := h.CreateToken(ctx, by, of, in)
		if err != nil {
			t.Fatal(err)
		}
		return servicetest.Must(h.Login(ctx, plain))(t), token, plain
	}
	day, made, _ := login(owner, "member", service.NewToken{ValidFor: 24 * time.Hour, Scope: "admin"})
	other, of, plain := login(day, "guest", service.NewToken{})
	if of.Parent != made.ID || !of.Expires.Equal(made.Expires) || of.Scope != "admin" {
		t.Errorf("the token for another person is of %q, until %v, for %q", of.Parent, of.Expires, of.Scope)
	}
	if _, _, err := h.CreateToken(ctx, other, "member", service.NewToken{Scope: "admin"}); err != nil {
		t.Errorf("an admin makes a token: %v", err)
	}
	browser := servicetest.Must(h.NewLogin(ctx, other, "browser", time.Hour))(t)

	servicetest.Must(h.SetRole(ctx, owner, "member", errand.Member))(t)
	for what, secret := range map[string]string{"token": plain, "login": browser} {
		if by := servicetest.Must(h.Login(ctx, secret))(t); by.Role != errand.Member {
			t.Errorf("the %s has the role %s after the one who made it became a member", what, by.Role)
		}
	}
	if err := h.RevokeToken(ctx, owner, made.ID); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{plain, browser} {
		_, err := h.Login(ctx, secret)
		servicetest.WantRefusal(t, err, service.KindUnauthenticated, "")
	}
}

// TestTokenMakesNoDecider proves that nobody who decides about approvals is made, or made
// known by something else, by what decides nothing; and that a browser that a token lets in
// is no more than the token, and ends with it.
func TestTokenMakesNoDecider(t *testing.T) {
	h := newHouse(t, nil)
	ctx := t.Context()
	owner := as(errand.MasterAdmin)
	plain, token, err := h.CreateToken(ctx, owner, owner.Person, service.NewToken{Scope: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	admin := servicetest.Must(h.Login(ctx, plain))(t)
	ask := func() (code, secret string) {
		p, secret, err := h.AskLogin(ctx, "laptop", "en", "192.0.2.7")
		if err != nil {
			t.Fatal(err)
		}
		return p.Code, secret
	}
	code, secret := ask()
	for _, by := range []service.Actor{admin, owner.AsProgram()} {
		for name, do := range map[string]func() error{
			"lets a browser of theirs in": func() error { _, _, err := h.Approve(ctx, by, code, "", owner.Person); return err },
			"lets in somebody new":        func() error { _, _, err := h.Approve(ctx, by, code, errand.MasterAdmin, ""); return err },
			"gives the role":              func() error { _, err := h.SetRole(ctx, by, "member", errand.MasterAdmin); return err },
			"takes it":                    func() error { _, err := h.SetRole(ctx, by, owner.Person, errand.Guest); return err },
			"says who else they are":      func() error { return h.Link(ctx, by, owner.Person, "telegram", "", "7") },
		} {
			t.Run(name, func(t *testing.T) {
				servicetest.WantRefusal(t, do(), service.KindForbidden, "a token changes nobody who decides")
			})
		}
	}
	if _, _, err := h.Approve(ctx, owner, code, "", owner.Person); err != nil {
		t.Fatal(err)
	}
	if err := h.MayDecide(servicetest.Must(h.Login(ctx, secret))(t)); err != nil {
		t.Errorf("a browser that its person let in: %v", err)
	}

	let := func(by service.Actor) (secret string) {
		code, secret := ask()
		if _, _, err := h.Approve(ctx, by, code, "", "member"); err != nil {
			t.Fatal(err)
		}
		return secret
	}
	programs, tokens := let(owner.AsProgram()), let(admin)
	servicetest.Must(h.SetRole(ctx, owner, "member", errand.MasterAdmin))(t)
	for _, secret := range []string{programs, tokens} {
		if h.MayDecide(servicetest.Must(h.Login(ctx, secret))(t)) == nil {
			t.Error("a browser that a token let in decides about approvals")
		}
	}
	if err := h.RevokeToken(ctx, owner, token.ID); err != nil {
		t.Fatal(err)
	}
	_, err = h.Login(ctx, tokens)
	servicetest.WantRefusal(t, err, service.KindUnauthenticated, "")
}

// TestOwnTokens proves that only one's own are revoked as one's own, and that what is
// somebody else's is as if it were not there.
func TestOwnTokens(t *testing.T) {
	h := newHouse(t, nil)
	_, token, err := h.CreateToken(t.Context(), as(errand.Member), "member", service.NewToken{})
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []service.Actor{as(errand.MasterAdmin), as(errand.Guest)} {
		if err := h.RevokeOwnToken(t.Context(), by, token.ID); !isNotFound(err) {
			t.Errorf("%s revokes another's token: %v", by.Role, err)
		}
	}
	if err := h.RevokeOwnToken(t.Context(), as(errand.Member), token.ID); err != nil {
		t.Error(err)
	}
	if err := h.RevokeOwnToken(t.Context(), as(errand.Member), token.ID); !isNotFound(err) {
		t.Errorf("one that is gone: %v", err)
	}
	for route, least := range map[string]errand.Role{"POST /api/me/tokens": errand.Member, "GET /tokens": errand.Member, "DELETE /api/me/tokens/{id}": errand.Guest} {
		for _, role := range []errand.Role{errand.Guest, errand.Member} {
			if got := h.Allows(as(role), rights.Route, route); got != role.Includes(least) {
				t.Errorf("%s is for a %s: %v", route, role, got)
			}
		}
	}
}

// TestTokenUse proves that it is noted when a token was last shown, and not at each time.
func TestTokenUse(t *testing.T) {
	h := newHouse(t, nil)
	plain, token, err := h.CreateToken(t.Context(), as(errand.Member), "member", service.NewToken{})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		want  time.Time
	}{{0, noon}, {time.Minute, noon}, {10 * time.Minute, noon.Add(11 * time.Minute)}} {
		h.now = h.now.Add(step.after)
		servicetest.Must(h.Login(t.Context(), plain))(t)
		if got := servicetest.Must(h.store.Token(t.Context(), token.ID))(t).Used; !got.Equal(step.want) {
			t.Errorf("at %s it was used %s", h.now, got)
		}
	}
}
