package service_test

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/service"
	"errand/internal/service/servicetest"
)

// TestLastAdmin proves that there is always somebody who can decide about people.
func TestLastAdmin(t *testing.T) {
	h := newHouse(t, func(deps *service.Deps) { deps.Owner = "member" })
	by := as(errand.MasterAdmin)
	_, err := h.SetRole(t.Context(), by, by.Person, errand.Partner)
	servicetest.WantRefusal(t, err, service.KindConflict, "the last Admin: give somebody else that role first")
	servicetest.WantRefusal(t, h.RemovePerson(t.Context(), by, by.Person), service.KindConflict, "the last Admin")
	servicetest.Must(h.SetRole(t.Context(), by, "partner", errand.MasterAdmin))(t)
	servicetest.Must(h.SetRole(t.Context(), by, by.Person, errand.Guest))(t)
	servicetest.WantRefusal(t, h.RemovePerson(t.Context(), servicetest.Must(h.ActorOf(t.Context(), "partner"))(t), "member"), service.KindConflict, "the owner")
}

// TestPeopleListByRole proves that the list of people shows the others to those only
// who may see them, and never what a token is.
func TestPeopleListByRole(t *testing.T) {
	var log bytes.Buffer
	h := newHouse(t, func(deps *service.Deps) { deps.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	plain, _, err := h.CreateToken(t.Context(), as(errand.Member), "member", service.NewToken{Name: "laptop", ValidFor: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Link(t.Context(), as(errand.MasterAdmin), "guest", "telegram", "", "7"); err != nil {
		t.Fatal(err)
	}
	if list := servicetest.Must(h.People(t.Context(), as(errand.MasterAdmin), service.Page{}))(t); len(list) != 4 || len(list[0].Identities) != 1 {
		t.Errorf("an admin sees %+v", list)
	}
	list := servicetest.Must(h.People(t.Context(), as(errand.Member), service.Page{}))(t)
	if len(list) != 1 || list[0].ID != "member" || len(list[0].Tokens) != 1 {
		t.Errorf("a member sees %+v", list)
	}
	if strings.Contains(log.String(), plain) {
		t.Error("the token is in the log")
	}
}

// TestTokens proves that a token is its person until it expires or is revoked,
// also when it is revoked by another.
func TestTokens(t *testing.T) {
	h := newHouse(t, nil)
	ctx := t.Context()
	issue := func(validFor time.Duration) (string, service.Token) {
		t.Helper()
		plain, token, err := h.CreateToken(ctx, as(errand.Member), "member", service.NewToken{Name: "laptop", ValidFor: validFor})
		if err != nil {
			t.Fatal(err)
		}
		return plain, token
	}
	plain, token := issue(0)
	short, _ := issue(time.Hour)
	if by := servicetest.Must(h.Login(ctx, plain))(t); by.Person != "member" || by.Role != errand.Member {
		t.Errorf("the token is %+v", by)
	}
	servicetest.Must(h.SetRole(ctx, as(errand.MasterAdmin), "member", errand.Guest))(t)
	if by := servicetest.Must(h.Login(ctx, plain))(t); by.Role != errand.Guest {
		t.Errorf("after a demotion the token has the role %s", by.Role)
	}
	servicetest.WantRefusal(t, h.RevokeToken(ctx, as(errand.Partner), token.ID), service.KindForbidden, "is for the role")
	if err := h.RevokeToken(ctx, as(errand.MasterAdmin), token.ID); err != nil {
		t.Fatal(err)
	}
	_, err := h.Login(ctx, plain)
	servicetest.WantRefusal(t, err, service.KindUnauthenticated, "revoked")
	servicetest.WantRefusal(t, h.RevokeToken(ctx, as(errand.MasterAdmin), token.ID), service.KindNotFound, "not found")
	h.now = h.now.Add(time.Hour)
	_, err = h.Login(ctx, short)
	servicetest.WantRefusal(t, err, service.KindUnauthenticated, "expired")
	_, _, err = h.CreateToken(ctx, as(errand.MasterAdmin), "member", service.NewToken{Name: "x", ValidFor: -time.Hour})
	servicetest.WantRefusal(t, err, service.KindInvalid, "ten years")
}
