package intake_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/temporal/reconcile"
	"errand/internal/test/dispatchtest"
	"errand/internal/test/intaketest"
	"errand/internal/test/servicetest"
	"errand/internal/test/storetest"
)

// A door is a whole way in that strangers knock at, with one person of each role.
type door struct {
	intaketest.House
	t       *testing.T
	store   *store.Store
	now     time.Time
	signals *dispatchtest.Client
	path    string // of the database
	log     bytes.Buffer
	sent    int
	trace   func(query string) // of the store; nil: nobody looks
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func newDoor(t *testing.T, change func(*intaketest.Deps)) *door {
	t.Helper()
	return newDoorWith(t, store.Limits{}, change)
}

func newDoorWith(t *testing.T, limits store.Limits, change func(*intaketest.Deps)) *door {
	t.Helper()
	d := &door{t: t, now: noon, signals: &dispatchtest.Client{}, path: storetest.File(t)}
	clock := func() time.Time { return d.now }
	s, err := store.Open(t.Context(), store.Options{SQLite: d.path, Limits: limits, Now: clock, Trace: func(query string) {
		if d.trace != nil {
			d.trace(query)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	storetest.AddEveryRole(t, s)
	primary, list := agents.Default()
	roster, err := agents.New(primary, list, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	deps := intaketest.Deps{Deps: service.Deps{Dispatch: dispatchtest.New(t, d.signals, s), Roster: roster, Env: &service.Env{Store: s, Now: clock, Logger: slog.New(slog.NewTextHandler(&d.log, nil))}}}
	if change != nil {
		change(&deps)
	}
	d.House = intaketest.New(t, deps)
	d.store = s
	return d
}

func (d *door) reconcile() error {
	r := reconcile.Reconciler{Store: d.store, Dispatch: d.Dispatch, Service: d.Internal, Logger: d.Logger}
	return r.Once(d.t.Context(), d.now)
}

func (d *door) as(role core.Role) actor.Actor {
	d.t.Helper()
	by, err := d.Logins.ActorOf(d.t.Context(), core.PersonID(role))
	if err != nil {
		d.t.Fatal(err)
	}
	return by
}

func (d *door) admin() actor.Actor { return d.as(core.MasterAdmin) }

func (d *door) knock(text string, ids ...string) intake.Outcome {
	d.t.Helper()
	out, err := d.Receive(d.t.Context(), d.inbound(text, ids...))
	if err != nil {
		d.t.Fatal(err)
	}
	return out
}

func (d *door) inbound(text string, ids ...string) intake.Inbound {
	d.sent++
	return intake.Inbound{
		Route: core.Route{Channel: "whatsapp", Account: "main", Chat: "chat"}, MessageID: fmt.Sprint("m", d.sent), Text: text,
		Sender: intake.Sender{IDs: ids, Name: "Cleo", Language: "es"},
	}
}

func (d *door) notices() []string {
	d.t.Helper()
	rows, err := d.store.Deliveries(d.t.Context(), nil, store.Page{})
	if err != nil {
		d.t.Fatal(err)
	}
	var texts []string
	for _, n := range slices.Backward(rows) {
		texts = append(texts, n.Text)
	}
	return texts
}

func (d *door) refused() map[string]string {
	d.t.Helper()
	list, err := d.Refusals(d.t.Context(), d.admin())
	if err != nil {
		d.t.Fatal(err)
	}
	reasons := map[string]string{}
	for _, r := range list {
		reasons[r.ExternalID] = r.Reason
	}
	return reasons
}

// TestStranger proves what becomes of somebody whom nobody knows: nothing of
// theirs starts anything, they get a code and are told it once, and once it is
// approved they are told so and are somebody.
func TestStranger(t *testing.T) {
	d := newDoor(t, nil)
	ctx := t.Context()
	first := d.knock("hello", "+49 171 1", "1@lid")
	if first.Person != "" || first.Refused == "" || len(first.Code) != 8 || first.Key != "" {
		t.Fatalf("a stranger is received as %+v", first)
	}
	if again := d.knock("hello?", "1@lid"); again.Code != first.Code {
		t.Errorf("another id of the same sender has another code")
	}
	if asked := d.knock("/pair", "+49 171 1"); asked.Code != first.Code {
		t.Errorf("asking again gave another code")
	}
	if got := d.notices(); len(got) != 2 || !strings.Contains(got[0], strings.ToUpper(first.Code)) || !strings.Contains(got[0], "Todavía no te conozco") {
		t.Errorf("a stranger is told %q", got)
	}
	if n := d.unclaimed(); n != 0 {
		t.Errorf("%d messages of a stranger were accepted", n)
	}
	code := strings.ToUpper(first.Code)
	p, person, err := d.Approve(ctx, d.admin(), code, "", "")
	if err != nil {
		t.Fatal(err)
	}
	if person.Role != core.Member || person.Name != "Cleo" || p.DecidedBy != "master_admin" {
		t.Errorf("approved as %+v", person)
	}
	if _, again, err := d.Approve(ctx, d.admin(), code, core.Partner, ""); err != nil || again != person {
		t.Errorf("a second approval is %+v, %v", again, err)
	}
	if got := d.notices(); len(got) != 3 || got[2] != "Ya tienes acceso, Cleo. Estoy mirando lo que escribiste." {
		t.Errorf("who was let in is told %q", got)
	}
	if n := d.unclaimed(); n != 1 {
		t.Errorf("what they wrote before is in %d conversations", n)
	}
	in := d.knock("hello", "1@lid", "new@lid")
	if in.Person != person.ID || in.Refused != "" || d.unclaimed() != 1 {
		t.Errorf("who was let in is received as %+v", in)
	}
	if in := d.knock("hello", "new@lid"); in.Person != person.ID {
		t.Errorf("a new id of a known person was not remembered")
	}
	if strings.Contains(d.log.String(), "Cleo") || strings.Contains(d.log.String(), "hello") {
		t.Errorf("names or words are in the log:\n%s", d.log.String())
	}
}

func (d *door) unclaimed() int {
	d.t.Helper()
	n := 0
	for _, err := range d.store.WaitingSessions(d.t.Context(), d.now.Add(time.Second)) {
		if err != nil {
			d.t.Fatal(err)
		}
		n++
	}
	return n
}

// TestManyStrangers proves that however many ask, whoever comes gets a code, that
// one alone cannot use up what is for all, that a code expires, and that a denial
// holds.
func TestManyStrangers(t *testing.T) {
	d := newDoor(t, func(deps *intaketest.Deps) { deps.Rates = intake.Rates{Person: 60, Channel: 600} })
	ctx := t.Context()
	for i := range store.MostPending + 5 {
		if out := d.knock("hello", fmt.Sprint("spammer ", i)); out.Code == "" {
			t.Fatalf("number %d is received as %+v", i, out)
		}
	}
	d.now = d.now.Add(time.Second)
	code, denied := d.knock("hello", "1").Code, d.knock("hello", "3").Code
	slow := 0
	for range 60 {
		if _, err := d.Receive(ctx, d.inbound("hello", "loud")); err != nil {
			servicetest.WantRefusal(t, err, service.KindTooMany, "too fast")
			slow++
		}
	}
	if slow != 50 {
		t.Errorf("a loud stranger is slowed down %d times of 60", slow)
	}
	if err := d.Deny(ctx, d.admin(), denied); err != nil {
		t.Fatal(err)
	}
	d.knock("hello", "3")
	want := map[string]string{"3": "was denied"}
	if got := d.refused(); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the operator sees %v, want %v", got, want)
	}
	_, _, err := d.Approve(ctx, d.admin(), denied, "", "")
	servicetest.WantRefusal(t, err, service.KindConflict, "was denied")
	d.now = d.now.Add(time.Hour)
	_, _, err = d.Approve(ctx, d.admin(), code, "", "")
	servicetest.WantRefusal(t, err, service.KindConflict, "has expired")
	_, _, err = d.Approve(ctx, d.admin(), "nothing", "", "")
	servicetest.WantRefusal(t, err, service.KindNotFound, "not found")
	if again := d.knock("hello", "1").Code; again == "" || again == code {
		t.Errorf("after an hour the code is %q", again)
	}
}

// TestGroupsAndBots proves that in a group nobody is told a code who has not
// asked, and that bots get none anywhere.
func TestGroupsAndBots(t *testing.T) {
	d := newDoor(t, nil)
	group, bot := d.inbound("hello", "1"), d.inbound("/pair", "2")
	group.Group, bot.Sender.Bot = true, true
	for _, in := range []intake.Inbound{group, bot} {
		if out := servicetest.Must(d.Receive(t.Context(), in))(t); out.Refused == "" || out.Code != "" {
			t.Errorf("%+v is received as %+v", in, out)
		}
	}
	if got := d.notices(); len(got) > 0 {
		t.Errorf("they were told %q", got)
	}
	group.Text, group.MessageID = "/pair", "asked"
	if out := servicetest.Must(d.Receive(t.Context(), group))(t); out.Code == "" {
		t.Error("who asks in a group gets no code")
	}
	if _, err := d.Receive(t.Context(), d.inbound("hello", "", "a\nb", strings.Repeat("x", 300))); err == nil {
		t.Error("a message from nobody was received")
	}
}

// TestAllowlist proves that a list is matched on every id of a sender, those that
// they come with and those that they are known by, and that nobody else is
// answered.
func TestAllowlist(t *testing.T) {
	d := newDoor(t, func(deps *intaketest.Deps) {
		deps.Access = map[string]service.Access{"whatsapp": {Mode: service.AccessAllowlist, Allow: []string{"+49 171-1", "ada@lid"}}}
	})
	by := d.admin()
	for _, id := range []string{"49171 1", "bert@lid"} {
		if err := d.Link(t.Context(), by, "partner", "whatsapp", "", id); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Link(t.Context(), by, "guest", "whatsapp", "", "off@lid"); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		ids []string
		in  bool
	}{
		{[]string{"bert@lid"}, true}, // by the number that he is known by too
		{[]string{"491711"}, true},
		{[]string{"x", "ADA@lid"}, true},
		{[]string{"x"}, true}, // remembered of Ada
		{[]string{"off@lid"}, false},
		{[]string{"4917112"}, false},
	} {
		out := d.knock("hello", test.ids...)
		if (out.Refused == "") != test.in || (out.Person != "") != test.in {
			t.Errorf("%v is received as %+v, want in: %v", test.ids, out, test.in)
		}
	}
	if got := d.notices(); len(got) > 0 {
		t.Errorf("those who are not on the list were told %q", got)
	}
	if got := d.refused(); len(got) != 2 || got["4917112"] != "is not on the list" {
		t.Errorf("the operator sees %v", got)
	}
	_, _, err := d.Logins.AskLogin(t.Context(), "Cleo", "", "")
	if err != nil {
		t.Errorf("the list of one channel closes the page: %v", err)
	}
}

// TestOpen proves that everybody gets in where that is wanted, as a guest, and
// that a bot does not.
func TestOpen(t *testing.T) {
	open := service.Access{Mode: service.AccessOpen}
	d := newDoor(t, func(deps *intaketest.Deps) {
		deps.Access = map[string]service.Access{"whatsapp/main": open, core.ChannelWeb: open}
	})
	out := d.knock("hello", "1")
	if by, err := d.Logins.ActorOf(t.Context(), out.Person); err != nil || by.Role != core.Guest || by.Name != "Cleo" {
		t.Errorf("a stranger becomes %+v, %v", by, err)
	}
	bot := d.inbound("hello", "2")
	bot.Sender.Bot = true
	if out := servicetest.Must(d.Receive(t.Context(), bot))(t); out.Refused != "is a bot" {
		t.Errorf("a bot is received as %+v", out)
	}
	_, secret, err := d.Logins.AskLogin(t.Context(), "Dora", "es-MX", "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	if by, err := d.Logins.Login(t.Context(), secret); err != nil || by.Name != "Dora" || by.Role != core.Guest || by.Language != "es-MX" {
		t.Errorf("a browser is %+v, %v", by, err)
	}
}

// TestBrowser proves what a browser that asks to be let in sees of it, and that
// its secret is worth nothing before.
func TestBrowser(t *testing.T) {
	d := newDoor(t, nil)
	ctx := t.Context()
	state := func(secret string) string {
		t.Helper()
		s, _, err := d.Logins.LoginState(ctx, secret)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	address := "192.0.2.1"
	ask := func() (core.Pairing, string) {
		t.Helper()
		p, secret, err := d.Logins.AskLogin(ctx, " Dora\x1b[31m ", "", address)
		if err != nil {
			t.Fatal(err)
		}
		return p, secret
	}
	p, secret := ask()
	if p.Name != "Dora [31m" || state(secret) != "pending" {
		t.Errorf("asked as %q, %s", p.Name, state(secret))
	}
	_, err := d.Logins.Login(ctx, secret)
	servicetest.WantRefusal(t, err, service.KindUnauthenticated, "not valid")
	_, dora, err := d.Approve(ctx, d.admin(), p.Code, core.Partner, "")
	if err != nil {
		t.Fatal(err)
	}
	if by := servicetest.Must(d.Logins.Login(ctx, secret))(t); by.Person != dora.ID || by.Role != core.Partner || state(secret) != "approved" {
		t.Errorf("the browser is %+v, %s", by, state(secret))
	}
	if err := d.Logins.Logout(ctx, secret); err != nil {
		t.Fatal(err)
	}
	_, err = d.Logins.Login(ctx, secret)
	servicetest.WantRefusal(t, err, service.KindUnauthenticated, "revoked")
	if got := state(secret); got != "expired" {
		t.Errorf("after the logout it is %s", got)
	}
	p, secret = ask()
	if err := d.Deny(ctx, d.admin(), p.Code); err != nil {
		t.Fatal(err)
	}
	if got := state(secret); got != "denied" {
		t.Errorf("after the denial it is %s", got)
	}
	p, secret = ask()
	if err := d.Logins.Logout(ctx, secret); err != nil {
		t.Fatal(err)
	}
	_, _, err = d.Approve(ctx, d.admin(), p.Code, "", "")
	servicetest.WantRefusal(t, err, service.KindNotFound, "not found")
	_, first := ask()
	d.now = d.now.Add(time.Second)
	_, secret = ask()
	if state(first) != "expired" || state(secret) != "pending" {
		t.Errorf("of two from one address the first is %s, the second %s", state(first), state(secret))
	}
	address = "192.0.2.2"
	if ask(); state(secret) != "pending" {
		t.Errorf("one from another address displaces it")
	}
	d.now = d.now.Add(time.Hour)
	if got := state(secret); got != "expired" {
		t.Errorf("after an hour it is %s", got)
	}
	_, _, err = d.Logins.LoginState(ctx, "errand_wrong")
	servicetest.WantRefusal(t, err, service.KindUnauthenticated, "not valid")
}

func (d *door) onAccount(channel, account, text string, ids ...string) intake.Inbound {
	in := d.inbound(text, ids...)
	in.Route = core.Route{Channel: channel, Account: account, Chat: "chat of " + ids[0]}
	return in
}

// TestKnownOnAllAccounts proves that who is known on one account of a platform is
// known on the others at once, however they became known, and with the rights that
// they have.
func TestKnownOnAllAccounts(t *testing.T) {
	for _, channel := range []string{"telegram", "discord", "whatsapp"} {
		t.Run(channel, func(t *testing.T) {
			d := newDoor(t, nil)
			ctx := t.Context()
			main := servicetest.Must(d.Receive(ctx, d.onAccount(channel, "main", "hello", "42")))(t)
			sub := servicetest.Must(d.Receive(ctx, d.onAccount(channel, "sub", "and here?", "42")))(t)
			if main.Code == "" || sub.Code == "" {
				t.Fatalf("a stranger is received as %+v and %+v", main, sub)
			}
			_, person, err := d.Approve(ctx, d.admin(), main.Code, "", "partner")
			if err != nil {
				t.Fatal(err)
			}
			if waiting := servicetest.Must(d.Pairings(ctx, d.admin(), true))(t); len(waiting) != 0 {
				t.Errorf("somebody who is known waits: %+v", waiting)
			}
			if got := d.notices(); len(got) != 4 || got[2] != "You have access now, Cleo. I am looking at what you wrote." && !strings.Contains(got[2], "Ya tienes acceso, Cleo.") || got[2] != got[3] {
				t.Errorf("they are told %q", got)
			}
			if n := d.unclaimed(); n != 2 {
				t.Errorf("what they wrote is in %d conversations, want both", n)
			}
			for _, account := range []string{"main", "sub", "third"} {
				in := servicetest.Must(d.Receive(ctx, d.onAccount(channel, account, "hello", "42")))(t)
				if in.Person != person.ID || in.Refused != "" {
					t.Errorf("on %s they are received as %+v", account, in)
				}
			}
			if list := servicetest.Must(d.store.Identities(ctx, person.ID))(t); len(list) != 1 {
				t.Errorf("they are known as %+v", list)
			}
			if err := d.Unlink(ctx, d.admin(), person.ID, channel, "", "42"); err != nil {
				t.Fatal(err)
			}
			if in := servicetest.Must(d.Receive(ctx, d.onAccount(channel, "sub", "hello", "42")))(t); in.Person != "" {
				t.Error("who was unlinked is known on another account")
			}
		})
	}
}

// TestLinkDecides proves that who is linked is let in where they wait, that one id
// becomes one person's again, and that nobody takes an id from somebody above them.
func TestLinkDecides(t *testing.T) {
	d := newDoor(t, nil)
	ctx := t.Context()
	for account, person := range map[string]core.PersonID{"main": "partner", "sub": "guest"} {
		err := d.store.AddIdentity(ctx, core.Identity{Channel: "telegram", Account: account, ExternalID: "42", Person: person})
		if err != nil {
			t.Fatal(err)
		}
	}
	in := servicetest.Must(d.Receive(ctx, d.onAccount("telegram", "third", "hello", "42")))(t)
	if in.Person != "guest" {
		t.Errorf("of two who had one id, a new account takes %q", in.Person)
	}
	if err := d.Link(ctx, d.admin(), "partner", "telegram", "", "42"); err != nil {
		t.Fatal(err)
	}
	for _, account := range []string{"main", "sub", "third"} {
		if in := servicetest.Must(d.Receive(ctx, d.onAccount("telegram", account, "hello", "42")))(t); in.Person != "partner" {
			t.Errorf("on %s it is %q", account, in.Person)
		}
	}
	asked := servicetest.Must(d.Receive(ctx, d.onAccount("telegram", "main", "let me in", "43")))(t)
	if err := d.Link(ctx, d.admin(), "member", "telegram", "", "43"); err != nil {
		t.Fatal(err)
	}
	p, err := d.store.Pairing(ctx, asked.Code)
	if err != nil || p.State != core.PairingApproved || p.Person != "member" {
		t.Errorf("who was linked waits still: %+v, %v", p, err)
	}
	if got := d.notices(); !strings.HasPrefix(got[len(got)-1], "Ya tienes acceso, Cleo.") {
		t.Errorf("they are told %q", got)
	}
	// A request whose ids have become somebody's meanwhile says whose.
	d.knock("hello", "5")
	if err := d.store.AddIdentity(ctx, core.Identity{Channel: "whatsapp", ExternalID: "5", Person: "member"}); err != nil {
		t.Fatal(err)
	}
	if list := servicetest.Must(d.Pairings(ctx, d.admin(), true))(t); len(list) != 1 || list[0].Person != "member" {
		t.Errorf("who waits: %+v", list)
	}
}

// TestAdmits proves that an account speaks only to whom it would also hear.
func TestAdmits(t *testing.T) {
	d := newDoor(t, func(deps *intaketest.Deps) {
		deps.Access = map[string]service.Access{"telegram/closed": {Mode: service.AccessAllowlist, Allow: []string{"7"}}}
	})
	for id, person := range map[string]core.PersonID{"7": "partner", "8": "member"} {
		if err := d.store.AddIdentity(t.Context(), core.Identity{Channel: "telegram", Account: "main", ExternalID: id, Person: person}); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		account string
		person  core.PersonID
		want    bool
	}{{"main", "partner", true}, {"sub", "member", true}, {"closed", "partner", true}, {"closed", "member", false}, {"main", "guest", false}} {
		got := servicetest.Must(d.Admits(t.Context(), core.Account{Channel: "telegram", Name: test.account}, test.person))(t)
		if got != test.want {
			t.Errorf("%s admits %s: %v", test.account, test.person, got)
		}
	}
}
