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
				if scope.Covers(d.capability) {
					continue // and is done
				}
				if err := d.try(t.Context(), h, as(errand.MasterAdmin).Scoped(scope)); !isForbidden(err) {
					t.Errorf("%s, which needs %s, by a token for %s: %v", method, d.capability, scope, err)
				}
			}
		}
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
	_, _, err = h.CreateToken(ctx, as(errand.Member), "member", service.NewToken{Scope: "everything"})
	servicetest.WantRefusal(t, err, service.KindInvalid, "no scope")
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
