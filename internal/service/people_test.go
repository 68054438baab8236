package service_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/core"
	"errand/internal/service"
	"errand/internal/test/servicetest"
)

// TestLastAdmin proves that there is always somebody who can decide about people.
func TestLastAdmin(t *testing.T) {
	h := newHouse(t, func(deps *service.Deps) { deps.Owner = "member" })
	by := as(core.MasterAdmin)
	_, err := h.SetRole(t.Context(), by, by.Person, core.Partner)
	servicetest.WantRefusal(t, err, service.KindConflict, "the last Admin; give somebody else that role first")
	servicetest.WantRefusal(t, h.RemovePerson(t.Context(), by, by.Person), service.KindConflict, "the last Admin")
	servicetest.Must(h.SetRole(t.Context(), by, "partner", core.MasterAdmin))(t)
	servicetest.Must(h.SetRole(t.Context(), by, by.Person, core.Guest))(t)
	servicetest.WantRefusal(t, h.RemovePerson(t.Context(), servicetest.Must(h.Logins.ActorOf(t.Context(), "partner"))(t), "member"), service.KindConflict, "the owner")
}

// TestPeopleListByRole proves that only those who may see people list them, and that no secret of a
// token is logged.
func TestPeopleListByRole(t *testing.T) {
	var log bytes.Buffer
	h := newHouse(t, func(deps *service.Deps) { deps.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	plain, _, err := h.CreateToken(t.Context(), as(core.Member), "member", api.NewToken{Name: "laptop", Days: 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Link(t.Context(), as(core.MasterAdmin), "guest", "telegram", "", "7"); err != nil {
		t.Fatal(err)
	}
	if list := servicetest.Must(h.People(t.Context(), as(core.MasterAdmin)))(t); len(list) != 4 || len(list[0].Identities) != 1 {
		t.Errorf("an admin sees %+v", list)
	}
	_, err = h.People(t.Context(), as(core.Member))
	servicetest.WantRefusal(t, err, service.KindForbidden, "needs the role")
	if strings.Contains(log.String(), plain) {
		t.Error("the token is in the log")
	}
}

// TestTokens proves that a token is its person until it expires or is revoked,
// also when it is revoked by another.
func TestTokens(t *testing.T) {
	h := newHouse(t, nil)
	ctx := t.Context()
	issue := func(days int) (string, core.Token) {
		t.Helper()
		plain, token, err := h.CreateToken(ctx, as(core.Member), "member", api.NewToken{Name: "laptop", Days: days})
		if err != nil {
			t.Fatal(err)
		}
		return plain, token
	}
	plain, token := issue(0)
	short, _ := issue(1)
	if by := servicetest.Must(h.Logins.Login(ctx, plain))(t); by.Person != "member" || by.Role != core.Member {
		t.Errorf("the token is %+v", by)
	}
	servicetest.Must(h.SetRole(ctx, as(core.MasterAdmin), "member", core.Guest))(t)
	if by := servicetest.Must(h.Logins.Login(ctx, plain))(t); by.Role != core.Guest {
		t.Errorf("after a demotion the token has the role %s", by.Role)
	}
	servicetest.WantRefusal(t, h.RevokeToken(ctx, as(core.Partner), token.ID), service.KindForbidden, "needs the role")
	if err := h.RevokeToken(ctx, as(core.MasterAdmin), token.ID); err != nil {
		t.Fatal(err)
	}
	_, err := h.Logins.Login(ctx, plain)
	servicetest.WantRefusal(t, err, service.KindUnauthenticated, "revoked")
	servicetest.WantRefusal(t, h.RevokeToken(ctx, as(core.MasterAdmin), token.ID), service.KindNotFound, "not found")
	h.now = h.now.Add(24 * time.Hour)
	_, err = h.Logins.Login(ctx, short)
	servicetest.WantRefusal(t, err, service.KindUnauthenticated, "expired")
	for want, in := range map[string]api.NewToken{
		"at most ten years": {Days: -1}, "for at most ten years": {Days: 3651}, "at most 60": {Name: strings.Repeat("x", 61)}, "not valid text": {Name: "\x00"},
	} {
		_, _, err = h.CreateToken(ctx, as(core.MasterAdmin), "member", in)
		servicetest.WantRefusal(t, err, service.KindInvalid, want)
	}
}
