package intake_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/intake"
	"errand/internal/intake/intaketest"
	"errand/internal/rights"
	"errand/internal/service"
	"errand/internal/store"
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
	_, _, err = d.Approve(ctx, must(d.ActorOf(ctx, cleo.ID))(t), code, "", "")
	wants(t, err, service.KindForbidden, "is for the role master_admin")
	must(d.SetRole(ctx, d.admin(), cleo.ID, errand.MasterAdmin))(t)
	_, dora, err := d.Approve(ctx, must(d.ActorOf(ctx, cleo.ID))(t), code, errand.Guest, "")
	if err != nil || dora.Role != errand.Guest {
		t.Fatalf("who was promoted cannot let anybody in: %+v, %v", dora, err)
	}
	must(d.SetRole(ctx, must(d.ActorOf(ctx, cleo.ID))(t), "master_admin", errand.Guest))(t)
	_, err = d.SetRole(ctx, d.admin(), cleo.ID, errand.Guest)
	wants(t, err, service.KindForbidden, "master_admin")
}

// TestLastAdmin proves that there is always somebody who can decide about people.
func TestLastAdmin(t *testing.T) {
	d := newDoor(t, func(deps *intaketest.Deps) { deps.Owner = "member" })
	by := d.admin()
	_, err := d.SetRole(t.Context(), by, by.Person, errand.Partner)
	wants(t, err, service.KindConflict, "the last master_admin: give somebody else that role first")
	wants(t, d.RemovePerson(t.Context(), by, by.Person), service.KindConflict, "the last master_admin")
	must(d.SetRole(t.Context(), by, "partner", errand.MasterAdmin))(t)
	must(d.SetRole(t.Context(), by, by.Person, errand.Guest))(t)
	wants(t, d.RemovePerson(t.Context(), d.as(errand.Partner), "member"), service.KindConflict, "the owner")
}

// TestRolesOfPeople proves who may do what to whom.
func TestRolesOfPeople(t *testing.T) {
	table := rights.Default()
	for _, name := range []string{"GET /api/people", "POST /api/people/{id}", "POST /api/people/{id}/identities", "POST /api/people/{id}/tokens", "DELETE /api/people/{id}"} {
		if err := table.Set(rights.Route, name, errand.Partner); err != nil {
			t.Fatal(err)
		}
	}
	if err := table.Set(rights.Command, "/approve", errand.Partner); err != nil {
		t.Fatal(err)
	}
	d := newDoor(t, func(deps *intaketest.Deps) { deps.Rights = table })
	code := d.knock("hello", "1").Code
	role := func(by service.Actor, id errand.PersonID, role errand.Role) error {
		_, err := d.SetRole(t.Context(), by, id, role)
		return err
	}
	approve := func(by service.Actor, r errand.Role, as errand.PersonID) error {
		_, _, err := d.Approve(t.Context(), by, code, r, as)
		return err
	}
	token := func(by service.Actor, id errand.PersonID) error {
		_, _, err := d.CreateToken(t.Context(), by, id, "x", time.Hour)
		return err
	}
	admin, partner, member, guest := d.admin(), d.as(errand.Partner), d.as(errand.Member), d.as(errand.Guest)
	for name, test := range map[string]struct {
		err  error
		kind service.Kind
		want string
	}{
		"a role that does not exist":                    {role(admin, "guest", "boss"), service.KindInvalid, "there are guest, member, partner, master_admin"},
		"a person who does not exist":                   {role(admin, "nobody", errand.Guest), service.KindNotFound, "not found"},
		"a member promotes":                             {role(member, "member", errand.Member), service.KindForbidden, "is for the role partner"},
		"more than one has":                             {role(partner, "guest", errand.MasterAdmin), service.KindForbidden, "nobody gives more than they have"},
		"somebody above":                                {role(partner, "master_admin", errand.Guest), service.KindForbidden, "MASTER_ADMIN has the role master_admin"},
		"letting in with more than one has":             {approve(partner, errand.MasterAdmin, ""), service.KindForbidden, "nobody gives more"},
		"letting in as somebody above":                  {approve(partner, "", "master_admin"), service.KindForbidden, "has the role"},
		"letting in with a role that does not exist":    {approve(partner, "boss", ""), service.KindInvalid, "there is no role"},
		"letting in without the right":                  {approve(member, "", ""), service.KindForbidden, "pairings.decide is for"},
		"a token of somebody above":                     {token(partner, "master_admin"), service.KindForbidden, "has the role"},
		"a token of somebody else":                      {token(member, "guest"), service.KindForbidden, "is for the role partner"},
		"a guest's token":                               {token(guest, "guest"), service.KindForbidden, "for the role member"},
		"becoming somebody above":                       {d.Link(t.Context(), partner, "master_admin", "telegram", "", "7"), service.KindForbidden, "has the role"},
		"removing somebody above":                       {d.RemovePerson(t.Context(), partner, "master_admin"), service.KindForbidden, "has the role"},
		"an identity that is none":                      {d.Link(t.Context(), admin, "guest", "telegram", "", " "), service.KindInvalid, "an identity is"},
		"an identity of somebody else":                  {d.Unlink(t.Context(), admin, "guest", "telegram", "", "7"), service.KindNotFound, "no identity of guest"},
		"the language of somebody else":                 {d.SetLanguage(t.Context(), member, "guest", "es"), service.KindForbidden, "is for the role"},
		"a language that is none":                       {d.SetLanguage(t.Context(), member, "member", "klingonisch!"), service.KindInvalid, "language"},
		"no name":                                       {d.SetName(t.Context(), member, "member", " \x00"), service.KindInvalid, "empty"},
		"who was turned away, without the right":        {second(d.Refusals(t.Context(), member)), service.KindForbidden, "is for the role"},
		"who asks to be let in, without the right":      {second(d.Pairings(t.Context(), guest, false)), service.KindForbidden, "pairings.decide is for"},
		"somebody else, by who may see themselves only": {second(d.FindPerson(t.Context(), member, "guest")), service.KindForbidden, "is for the role"},
	} {
		t.Run(name, func(t *testing.T) { wants(t, test.err, test.kind, test.want) })
	}
	if err := approve(partner, errand.Partner, ""); err != nil {
		t.Errorf("a partner may let in by this table, and: %v", err)
	}
	if err := d.SetLanguage(t.Context(), member, "member", "es"); err != nil {
		t.Error(err)
	}
	if p, err := d.FindPerson(t.Context(), member, "MEMBER"); err != nil || p.Language != "es" {
		t.Errorf("a member finds themselves as %+v, %v", p, err)
	}
}

func second[T any](_ T, err error) error { return err }

// TestWhoSeesWhom proves that the list of people shows the others to those only
// who may see them, and never what a token is.
func TestWhoSeesWhom(t *testing.T) {
	d := newDoor(t, nil)
	plain, _, err := d.CreateToken(t.Context(), d.as(errand.Member), "member", "laptop", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Link(t.Context(), d.admin(), "guest", "telegram", "", "7"); err != nil {
		t.Fatal(err)
	}
	if list := must(d.People(t.Context(), d.admin()))(t); len(list) != 4 || len(list[0].Identities) != 1 {
		t.Errorf("an admin sees %+v", list)
	}
	list := must(d.People(t.Context(), d.as(errand.Member)))(t)
	if len(list) != 1 || list[0].ID != "member" || len(list[0].Tokens) != 1 {
		t.Errorf("a member sees %+v", list)
	}
	if strings.Contains(d.log.String(), plain) {
		t.Error("the token is in the log")
	}
}

// TestTokens proves that a token is its person until it expires or is revoked,
// also when it is revoked by another.
func TestTokens(t *testing.T) {
	d := newDoor(t, nil)
	ctx := t.Context()
	issue := func(validFor time.Duration) (string, service.Token) {
		t.Helper()
		plain, token, err := d.CreateToken(ctx, d.as(errand.Member), "member", "laptop", validFor)
		if err != nil {
			t.Fatal(err)
		}
		return plain, token
	}
	plain, token := issue(0)
	short, _ := issue(time.Hour)
	if by := must(d.Login(ctx, plain))(t); by.Person != "member" || by.Role != errand.Member {
		t.Errorf("the token is %+v", by)
	}
	must(d.SetRole(ctx, d.admin(), "member", errand.Guest))(t)
	if by := must(d.Login(ctx, plain))(t); by.Role != errand.Guest {
		t.Errorf("after a demotion the token has the role %s", by.Role)
	}
	wants(t, d.RevokeToken(ctx, d.as(errand.Partner), token.ID), service.KindForbidden, "is for the role")
	if err := d.RevokeToken(ctx, d.admin(), token.ID); err != nil {
		t.Fatal(err)
	}
	_, err := d.Login(ctx, plain)
	wants(t, err, service.KindUnauthenticated, "revoked")
	wants(t, d.RevokeToken(ctx, d.admin(), token.ID), service.KindNotFound, "not found")
	d.now = d.now.Add(time.Hour)
	_, err = d.Login(ctx, short)
	wants(t, err, service.KindUnauthenticated, "expired")
	_, _, err = d.CreateToken(ctx, d.admin(), "member", "x", -time.Hour)
	wants(t, err, service.KindInvalid, "ten years")
}

// TestRoleAtAccept proves that the stored role of a person counts when they
// write, whatever the channel says, and that who was removed writes to nobody.
func TestRoleAtAccept(t *testing.T) {
	d := newDoor(t, nil)
	say := func(who errand.PersonID, role errand.Role, text string) (string, error) {
		out, err := d.Accept(t.Context(), intake.Inbound{Route: errand.WebRoute("main"), Person: who, Role: role, Text: text})
		return out.Answer, err
	}
	for _, test := range []struct {
		who  errand.PersonID
		says errand.Role
		want string
	}{
		{"guest", errand.MasterAdmin, "Role: guest"},
		{"guest", "", "Role: guest"},
		{"master_admin", errand.Member, "Role: member"},
		{"master_admin", "", "Role: master_admin"},
	} {
		if got := must(say(test.who, test.says, "/whoami"))(t); !strings.Contains(got, test.want) {
			t.Errorf("%s, whom the channel calls %q, is told %q", test.who, test.says, got)
		}
	}
	if err := d.RemovePerson(t.Context(), d.admin(), "guest"); err != nil {
		t.Fatal(err)
	}
	_, err := say("guest", errand.Guest, "hello")
	wants(t, err, service.KindForbidden, `nobody is known here as "guest"`)
	if n := d.unclaimed(); n != 0 {
		t.Errorf("%d messages were accepted", n)
	}
}

// TestRemovedWithTasks proves that nothing goes on working for somebody who was
// removed, and that what is at work for others does.
func TestRemovedWithTasks(t *testing.T) {
	d := newDoor(t, nil)
	give := func(who errand.PersonID) errand.TaskID {
		route := errand.WebRoute("main")
		return must(d.store.CreateTask(t.Context(), errand.Origin{Route: route, Person: who, SessionKey: errand.NewSessionKey(route, who)},
			store.NewTask{Agents: []errand.AgentName{"sasha"}, Text: "find something out"}, ""))(t).ID
	}
	for range 120 { // more than a list has
		give("guest")
	}
	others := give("member")
	if err := d.RemovePerson(t.Context(), d.admin(), "guest"); err != nil {
		t.Fatal(err)
	}
	left, err := d.store.Tasks(t.Context(), store.TaskFilter{States: errand.OpenStates()})
	if err != nil || len(left) != 1 || left[0].ID != others {
		t.Errorf("at work are %d tasks (%v), want that of somebody else only", len(left), err)
	}
}

// TestRates proves that who is too fast is told how long to wait, that nothing
// else is lost, that others and strangers are measured for themselves, and that
// stopping needs no waiting.
func TestRates(t *testing.T) {
	d := newDoor(t, func(deps *intaketest.Deps) { deps.Rates = intake.Rates{Person: 3, Channel: 4} })
	say := func(who errand.PersonID, text string) error {
		_, err := d.Accept(t.Context(), intake.Inbound{Route: errand.WebRoute("main"), Person: who, Text: text})
		return err
	}
	for range 3 {
		if err := say("member", "/help"); err != nil {
			t.Fatal(err)
		}
	}
	wants(t, say("member", "hello"), service.KindTooMany, "20 seconds")
	d.now = d.now.Add(19 * time.Second)
	wants(t, say("member", "hello"), service.KindTooMany, "1 second from now")
	d.now = d.now.Add(time.Second)
	if err := say("member", "hello"); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	wants(t, say("member", "hello"), service.KindTooMany, "20 seconds")
	if err := say("member", "/STOP"); err != nil {
		t.Errorf("stopping is answered with %v", err)
	}
	for _, who := range []errand.PersonID{"guest", "partner"} {
		if err := say(who, "/help"); err != nil {
			t.Errorf("%s has to wait for another: %v", who, err)
		}
	}
	wants(t, say("master_admin", "/help"), service.KindTooMany, "10 seconds") // the account as a whole
	if n := d.unclaimed(); n != 1 {
		t.Errorf("%d conversations have messages, want 1", n)
	}
	for range 3 {
		d.knock("hello", "1")
	}
	_, err := d.Receive(context.Background(), d.inbound("hello", "1"))
	wants(t, err, service.KindTooMany, "20 seconds")
}

// TestRightsOfTasks proves that nobody has an agent sent on a task whom they may
// not talk with, nor again once they may not any more, and that a task has the
// rights of whoever it is for.
func TestRightsOfTasks(t *testing.T) {
	table := rights.Default()
	if err := table.Set(rights.Agent, "priest", errand.Partner); err != nil {
		t.Fatal(err)
	}
	d := newDoor(t, func(deps *intaketest.Deps) { deps.Rights = table })
	ctx := t.Context()
	give := func(who errand.PersonID, agent errand.AgentName) (errand.Task, error) {
		return d.Delegate(ctx, service.Actor{Person: who, Role: errand.MasterAdmin}, service.Delegation{Agents: []errand.AgentName{agent}, Text: "pray"})
	}
	_, err := give("member", "priest")
	wants(t, err, service.KindForbidden, "priest is for the role partner")
	if task := must(give("member", "sasha"))(t); task.Origin.Role != errand.Member {
		t.Errorf("the task has the role %s", task.Origin.Role)
	}
	task := must(give("partner", "priest"))(t)
	must(d.CancelTask(ctx, d.admin(), task.ID, ""))(t)
	must(d.RetryTask(ctx, d.admin(), task.ID))(t)
	other := must(give("partner", "sasha"))(t)
	must(d.CancelTask(ctx, d.admin(), other.ID, ""))(t)
	must(d.SetRole(ctx, d.admin(), "partner", errand.Member))(t)
	if again := must(d.RetryTask(ctx, d.admin(), other.ID))(t); again.Origin.Role != errand.Member {
		t.Errorf("the task that is done again has the role %s", again.Origin.Role)
	}
	_, err = d.RetryTask(ctx, d.admin(), task.ID)
	wants(t, err, service.KindForbidden, "priest is for the role partner")
}
