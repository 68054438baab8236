package intake_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/test/intaketest"
	"errand/internal/test/servicetest"
)

// TestPromotion proves that a role counts from the moment when it is given: who
// was let in and then promoted by another may decide about people themselves.
func TestPromotion(t *testing.T) {
	d := newDoor(t, nil)
	ctx := t.Context()
	_, cleo, err := d.Approve(ctx, d.admin(), d.knock("hello", "1").Code, "", "")
	if err != nil {
		t.Fatal(err)
	}
	code := d.knock("hello", "2").Code
	_, _, err = d.Approve(ctx, servicetest.Must(d.Logins.ActorOf(ctx, cleo.ID))(t), code, "", "")
	servicetest.WantRefusal(t, err, service.KindForbidden, "needs the role Admin")
	servicetest.Must(d.SetRole(ctx, d.admin(), cleo.ID, core.MasterAdmin))(t)
	_, dora, err := d.Approve(ctx, servicetest.Must(d.Logins.ActorOf(ctx, cleo.ID))(t), code, core.Guest, "")
	if err != nil || dora.Role != core.Guest {
		t.Fatalf("who was promoted cannot let anybody in: %+v, %v", dora, err)
	}
	servicetest.Must(d.SetRole(ctx, servicetest.Must(d.Logins.ActorOf(ctx, cleo.ID))(t), "master_admin", core.Guest))(t)
	_, err = d.SetRole(ctx, d.admin(), cleo.ID, core.Guest)
	servicetest.WantRefusal(t, err, service.KindForbidden, "Admin")
}

// TestRolesOfPeople proves who may do what to whom.
func TestRolesOfPeople(t *testing.T) {
	table := api.Rights()
	for _, name := range []string{"GET /api/people", "POST /api/people/{id}", "POST /api/people/{id}/identities", "POST /api/people/{id}/tokens", "DELETE /api/people/{id}"} {
		if err := table.Set(rights.Route, name, core.Partner); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Set(rights.Command, "/approve", core.Partner); err != nil {
		t.Fatal(err)
	}
	d := newDoor(t, func(deps *intaketest.Deps) { deps.Rights = table })
	code := d.knock("hello", "1").Code
	role := func(by actor.Actor, id core.PersonID, role core.Role) error {
		_, err := d.SetRole(t.Context(), by, id, role)
		return err
	}
	approve := func(by actor.Actor, r core.Role, as core.PersonID) error {
		_, _, err := d.Approve(t.Context(), by, code, r, as)
		return err
	}
	token := func(by actor.Actor, id core.PersonID) error {
		_, _, err := servicetest.CreateToken(t.Context(), d.Service, by, id, api.NewToken{Name: "x", Days: 1})
		return err
	}
	admin, partner, member, guest := d.admin(), d.as(core.Partner), d.as(core.Member), d.as(core.Guest)
	for name, test := range map[string]struct {
		err  error
		kind service.Kind
		want string
	}{
		"a role that does not exist":                 {role(admin, "guest", "boss"), service.KindInvalid, "there are guest, member, partner, admin"},
		"a person who does not exist":                {role(admin, "nobody", core.Guest), service.KindNotFound, "not found"},
		"a member promotes":                          {role(member, "member", core.Member), service.KindForbidden, "needs the role Partner"},
		"more than one has":                          {role(partner, "guest", core.MasterAdmin), service.KindForbidden, "you cannot give a higher role"},
		"somebody above":                             {role(partner, "master_admin", core.Guest), service.KindForbidden, "MASTER_ADMIN has the role Admin"},
		"letting in with more than one has":          {approve(partner, core.MasterAdmin, ""), service.KindForbidden, "you cannot give a higher role"},
		"letting in as somebody above":               {approve(partner, "", "master_admin"), service.KindForbidden, "has the role"},
		"letting in with a role that does not exist": {approve(partner, "boss", ""), service.KindInvalid, "there is no role"},
		"letting in without the right":               {approve(member, "", ""), service.KindForbidden, "pairings.decide needs"},
		"a token of somebody above":                  {token(partner, "master_admin"), service.KindForbidden, "has the role"},
		"a token of somebody else":                   {token(member, "guest"), service.KindForbidden, "needs the role Partner"},
		"a guest's token":                            {token(guest, "guest"), service.KindForbidden, "needs the role Member"},
		"becoming somebody above":                    {d.Link(t.Context(), partner, "master_admin", "telegram", "", "7"), service.KindForbidden, "has the role"},
		"removing somebody above":                    {d.RemovePerson(t.Context(), partner, "master_admin"), service.KindForbidden, "has the role"},
		"an identity that is none":                   {d.Link(t.Context(), admin, "guest", "telegram", "", " "), service.KindInvalid, "an identity is"},
		"an identity of somebody else":               {d.Unlink(t.Context(), admin, "guest", "telegram", "", "7"), service.KindNotFound, "does not belong to guest"},
		"the language of somebody else":              {d.SetLanguage(t.Context(), member, "guest", "es"), service.KindForbidden, "needs the role"},
		"a language that is none":                    {d.SetLanguage(t.Context(), member, "member", "klingonisch!"), service.KindInvalid, "language"},
		"no name":                                    {d.SetName(t.Context(), member, "member", " \x00"), service.KindInvalid, "empty"},
		"who was turned away, without the right":     {second(d.Refusals(t.Context(), member)), service.KindForbidden, "needs the role"},
		"who asks to be let in, without the right":   {second(d.Pairings(t.Context(), guest, false)), service.KindForbidden, "pairings.decide needs"},
	} {
		t.Run(name, func(t *testing.T) { servicetest.WantRefusal(t, test.err, test.kind, test.want) })
	}
	if err := approve(partner, core.Partner, ""); err != nil {
		t.Errorf("a partner may let in by this table, and: %v", err)
	}
	if err := d.SetLanguage(t.Context(), member, "member", "es"); err != nil {
		t.Error(err)
	}
	if by := servicetest.Must(d.Logins.ActorOf(t.Context(), "member"))(t); by.Language != "es" {
		t.Errorf("a member who asked for Spanish is %+v", by)
	}
}

func second[T any](_ T, err error) error { return err }

// TestRoleAtAccept proves that the stored role of a person counts when they
// write, whatever the channel says, and that who was removed writes to nobody.
func TestRoleAtAccept(t *testing.T) {
	d := newDoor(t, nil)
	send := func(who core.PersonID, role core.Role, text string) (string, error) {
		out, err := d.Accept(t.Context(), intake.Inbound{Route: core.WebRoute("main"), Person: who, Role: role, Text: text})
		return out.Answer, err
	}
	for _, test := range []struct {
		who  core.PersonID
		says core.Role
		want string
	}{
		{"guest", core.MasterAdmin, "Role: Guest"},
		{"guest", "", "Role: Guest"},
		{"master_admin", core.Member, "Role: Member"},
		{"master_admin", "", "Role: Admin"},
	} {
		if got := servicetest.Must(send(test.who, test.says, "/whoami"))(t); !strings.Contains(got, test.want) {
			t.Errorf("%s, whom the channel calls %q, is told %q", test.who, test.says, got)
		}
	}
	if err := d.RemovePerson(t.Context(), d.admin(), "guest"); err != nil {
		t.Fatal(err)
	}
	_, err := send("guest", core.Guest, "hello")
	servicetest.WantRefusal(t, err, service.KindForbidden, `errand no longer knows a person "guest"`)
	if n := d.unclaimed(); n != 0 {
		t.Errorf("%d messages were accepted", n)
	}
}

// TestRates proves that who is too fast is told how long to wait, that nothing
// else is lost, that others and strangers are measured for themselves, and that
// stopping needs no waiting.
func TestRates(t *testing.T) {
	d := newDoor(t, func(deps *intaketest.Deps) { deps.Rates = intake.Rates{Person: 3, Channel: 4} })
	send := func(who core.PersonID, text string) error {
		_, err := d.Accept(t.Context(), intake.Inbound{Route: core.WebRoute("main"), Person: who, Text: text})
		return err
	}
	for range 3 {
		if err := send("member", "/help"); err != nil {
			t.Fatal(err)
		}
	}
	servicetest.WantRefusal(t, send("member", "hello"), service.KindTooMany, "20 seconds")
	d.now = d.now.Add(19 * time.Second)
	servicetest.WantRefusal(t, send("member", "hello"), service.KindTooMany, "wait 1 second.")
	d.now = d.now.Add(time.Second)
	if err := send("member", "hello"); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	servicetest.WantRefusal(t, send("member", "hello"), service.KindTooMany, "20 seconds")
	if err := send("member", "/STOP"); err != nil {
		t.Errorf("stopping is answered with %v", err)
	}
	for _, who := range []core.PersonID{"guest", "partner"} {
		if err := send(who, "/help"); err != nil {
			t.Errorf("%s has to wait for another: %v", who, err)
		}
	}
	servicetest.WantRefusal(t, send("master_admin", "/help"), service.KindTooMany, "10 seconds") // the account as a whole
	if n := d.unclaimed(); n != 1 {
		t.Errorf("%d conversations have messages, want 1", n)
	}
	for range 3 {
		d.knock("hello", "1")
	}
	_, err := d.Receive(context.Background(), d.inbound("hello", "1"))
	servicetest.WantRefusal(t, err, service.KindTooMany, "20 seconds")
}
