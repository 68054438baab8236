package service_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/test/servicetest"
)

// TestTurnUsage proves that a token which may send messages may know what their answers have
// used, unless its person's role may not read usage.
func TestTurnUsage(t *testing.T) {
	h := newHouse(t, nil)
	for role, may := range map[core.Role]bool{core.Member: true, core.Guest: false} {
		used, err := ops.Do(t.Context(), h.Runner, api.GetTurnUsage, as(role).Scoped(rights.ScopeChat), api.TurnUsageInput{Session: "none", Turn: 1})
		require.NoError(t, err)
		require.Equal(t, may, used != nil, role)
	}
}

// TestScopedTokens proves that a token does what it is for and no more, and that what is made
// by it is no wider.
func TestScopedTokens(t *testing.T) {
	h := newHouse(t, nil)
	ctx := t.Context()
	login := func(by actor.Actor, scope string) actor.Actor {
		t.Helper()
		plain, _, err := h.CreateToken(ctx, by, by.Person, api.NewToken{Name: "x", Days: 1, Scope: scope})
		if err != nil {
			t.Fatal(err)
		}
		return servicetest.Must(h.Logins.Login(ctx, plain))(t)
	}
	reads, all := login(as(core.MasterAdmin), "read"), login(as(core.MasterAdmin), "")
	_, err := h.CreateTask(ctx, reads, api.CreateTaskInput{Body: api.NewTask{Agents: []core.AgentName{"trains"}, Text: "x"}})
	servicetest.WantRefusal(t, err, service.KindForbidden, "only for read")
	servicetest.Must(h.Tasks(ctx, reads, ""))(t)
	_, err = h.Tasks(ctx, reads, "*")
	servicetest.WantRefusal(t, err, service.KindForbidden, "only for read")
	servicetest.Must(h.Tasks(ctx, all, "*"))(t)
	if reads.IsMasterAdmin() || !all.IsMasterAdmin() {
		t.Error("a token for read is everything, or one for everything is not")
	}

	admin := login(as(core.MasterAdmin), "admin,read")
	_, _, err = h.CreateToken(ctx, reads, reads.Person, api.NewToken{})
	servicetest.WantRefusal(t, err, service.KindForbidden, "only for read")
	chats := login(admin, "chat")
	_, err = h.Tasks(ctx, chats, "")
	servicetest.WantRefusal(t, err, service.KindForbidden, "only for chat")
	if inherits := login(admin, ""); h.decides(inherits) || !inherits.IsMasterAdmin() {
		t.Error("what a token makes is not for what it is for")
	}
	plain := servicetest.Must(h.Logins.NewLogin(ctx, admin, "browser", time.Hour))(t)
	_, token, err := h.CreateToken(ctx, servicetest.Must(h.Logins.Login(ctx, plain))(t), "member", api.NewToken{})
	if err != nil || token.Scope != "read admin" {
		t.Errorf("what a login makes is for %q, %v", token.Scope, err)
	}
	for _, scope := range []string{"everything", " ", ","} {
		_, _, err = h.CreateToken(ctx, as(core.Member), "member", api.NewToken{Scope: scope})
		servicetest.WantRefusal(t, err, service.KindInvalid, "no scope")
	}
}

// TestTokenForAnotherPerson proves that what a token makes for another person ends with the
// token, and never has more rights than the person of the token has now.
func TestTokenForAnotherPerson(t *testing.T) {
	h := newHouse(t, nil)
	ctx := t.Context()
	owner := as(core.MasterAdmin)
	for _, id := range []core.PersonID{"member", "guest"} {
		servicetest.Must(h.SetRole(ctx, owner, id, core.MasterAdmin))(t)
	}
	login := func(by actor.Actor, of core.PersonID, in api.NewToken) (actor.Actor, core.Token, string) {
		t.Helper()
		plain, token, err := h.CreateToken(ctx, by, of, in)
		if err != nil {
			t.Fatal(err)
		}
		return servicetest.Must(h.Logins.Login(ctx, plain))(t), token, plain
	}
	day, made, _ := login(owner, "member", api.NewToken{Days: 1, Scope: "admin"})
	other, of, plain := login(day, "guest", api.NewToken{})
	if of.Parent != made.ID || !of.Expires.Equal(made.Expires) || of.Scope != "admin" {
		t.Errorf("the token for another person is of %q, until %v, for %q", of.Parent, of.Expires, of.Scope)
	}
	if _, _, err := h.CreateToken(ctx, other, "member", api.NewToken{Scope: "admin"}); err != nil {
		t.Errorf("an admin makes a token: %v", err)
	}
	browser := servicetest.Must(h.Logins.NewLogin(ctx, other, "browser", time.Hour))(t)

	servicetest.Must(h.SetRole(ctx, owner, "member", core.Member))(t)
	for what, secret := range map[string]string{"token": plain, "login": browser} {
		if by := servicetest.Must(h.Logins.Login(ctx, secret))(t); by.Role != core.Member {
			t.Errorf("the %s has the role %s after the one who made it became a member", what, by.Role)
		}
	}
	if err := h.RevokeToken(ctx, owner, made.ID); err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{plain, browser} {
		_, err := h.Logins.Login(ctx, secret)
		servicetest.WantRefusal(t, err, service.KindUnauthenticated, "")
	}
}

// TestTokenMakesNoDecider proves that nobody who decides about approvals is made, or made
// known by something else, by what decides nothing; and that a browser that a token lets in
// is no more than the token, and ends with it.
func TestTokenMakesNoDecider(t *testing.T) {
	h := newHouse(t, nil)
	ctx := t.Context()
	owner := as(core.MasterAdmin)
	plain, token, err := h.CreateToken(ctx, owner, owner.Person, api.NewToken{Scope: "admin"})
	if err != nil {
		t.Fatal(err)
	}
	admin := servicetest.Must(h.Logins.Login(ctx, plain))(t)
	ask := func() (code, secret string) {
		p, secret, err := h.Logins.AskLogin(ctx, "laptop", "en", "192.0.2.7")
		if err != nil {
			t.Fatal(err)
		}
		return p.Code, secret
	}
	code, secret := ask()
	for _, by := range []actor.Actor{admin, owner.AsProgram()} {
		for name, do := range map[string]func() error{
			"lets a browser of theirs in": func() error { _, _, err := h.Approve(ctx, by, code, "", owner.Person); return err },
			"lets in somebody new":        func() error { _, _, err := h.Approve(ctx, by, code, core.MasterAdmin, ""); return err },
			"gives the role":              func() error { _, err := h.SetRole(ctx, by, "member", core.MasterAdmin); return err },
			"takes it":                    func() error { _, err := h.SetRole(ctx, by, owner.Person, core.Guest); return err },
			"says who else they are":      func() error { return h.Link(ctx, by, owner.Person, "telegram", "", "7") },
		} {
			t.Run(name, func(t *testing.T) {
				servicetest.WantRefusal(t, do(), service.KindForbidden, "a token cannot change who may approve")
			})
		}
	}
	if _, _, err := h.Approve(ctx, owner, code, "", owner.Person); err != nil {
		t.Fatal(err)
	}
	if !h.decides(servicetest.Must(h.Logins.Login(ctx, secret))(t)) {
		t.Error("a browser that its person let in does not decide")
	}

	let := func(by actor.Actor) (secret string) {
		code, secret := ask()
		if _, _, err := h.Approve(ctx, by, code, "", "member"); err != nil {
			t.Fatal(err)
		}
		return secret
	}
	programs, tokens := let(owner.AsProgram()), let(admin)
	servicetest.Must(h.SetRole(ctx, owner, "member", core.MasterAdmin))(t)
	for _, secret := range []string{programs, tokens} {
		if h.decides(servicetest.Must(h.Logins.Login(ctx, secret))(t)) {
			t.Error("a browser that a token let in decides about approvals")
		}
	}
	if err := h.RevokeToken(ctx, owner, token.ID); err != nil {
		t.Fatal(err)
	}
	_, err = h.Logins.Login(ctx, tokens)
	servicetest.WantRefusal(t, err, service.KindUnauthenticated, "")
}

// TestOwnTokens proves that only one's own are revoked as one's own, and that what is
// somebody else's is as if it were not there.
func TestOwnTokens(t *testing.T) {
	h := newHouse(t, nil)
	_, token, err := h.CreateToken(t.Context(), as(core.Member), "member", api.NewToken{})
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []actor.Actor{as(core.MasterAdmin), as(core.Guest)} {
		if err := h.RevokeOwnToken(t.Context(), by, token.ID); !isNotFound(err) {
			t.Errorf("%s revokes another's token: %v", by.Role, err)
		}
	}
	if err := h.RevokeOwnToken(t.Context(), as(core.Member), token.ID); err != nil {
		t.Error(err)
	}
	if err := h.RevokeOwnToken(t.Context(), as(core.Member), token.ID); !isNotFound(err) {
		t.Errorf("one that is gone: %v", err)
	}
	for route, least := range map[string]core.Role{"POST /api/me/tokens": core.Member, "GET /tokens": core.Member, "DELETE /api/me/tokens/{id}": core.Guest} {
		for _, role := range []core.Role{core.Guest, core.Member} {
			if got := h.Allows(as(role), rights.Route, route); got != role.Includes(least) {
				t.Errorf("%s is for a %s: %v", route, role, got)
			}
		}
	}
}

// TestTokenUse proves that it is noted when a token was last shown, and not at each time.
func TestTokenUse(t *testing.T) {
	h := newHouse(t, nil)
	plain, token, err := h.CreateToken(t.Context(), as(core.Member), "member", api.NewToken{})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		want  time.Time
	}{{0, noon}, {time.Minute, noon}, {10 * time.Minute, noon.Add(11 * time.Minute)}} {
		h.now = h.now.Add(step.after)
		servicetest.Must(h.Logins.Login(t.Context(), plain))(t)
		if got := servicetest.Must(h.store.Token(t.Context(), token.ID))(t).Used; !got.Equal(step.want) {
			t.Errorf("at %s it was used %s", h.now, got)
		}
	}
}
