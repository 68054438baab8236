package app_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"errand"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/intake"
	"errand/internal/rights"
	"errand/internal/service"
)

// TestStrangerOnPlatform proves what a stranger sees on a platform: a code, word
// that they are in once it is approved, and then answers, from whichever of their
// ids they write. What they wrote before is answered then.
func TestStrangerOnPlatform(t *testing.T) {
	t.Parallel()
	p := playOn(t, true, true)
	ctx := t.Context()
	arrive := func(text string, ids ...string) intake.Outcome {
		t.Helper()
		out, err := p.Intake.Receive(ctx, intake.Inbound{
			Route:  errand.Route{Channel: "test", Account: "main", Chat: "c1"},
			Sender: intake.Sender{IDs: ids, Name: "Cleo"}, MessageID: text, Text: text,
		})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	code := arrive("let me in", "+49171", "1@lid").Code
	p.reaches("c1", errand.Sent)
	by, err := p.Service.ActorOf(ctx, app.Owner)
	if err != nil {
		t.Fatal(err)
	}
	_, cleo, err := p.Service.Approve(ctx, by, code, errand.Member, "")
	if err != nil {
		t.Fatal(err)
	}
	p.until(errand.NewSessionKey(errand.Route{Channel: "test", Account: "main", Chat: "c1"}, cleo.ID), heard("you said let me in"))
	p.reaches("c1", errand.Sent, errand.Sent, errand.Sent)
	for _, id := range []string{"1@lid", "+49171"} {
		if out := arrive("hello from "+id, id); out.Person != cleo.ID {
			t.Errorf("%s is %q, want %q", id, out.Person, cleo.ID)
		}
		p.until(errand.NewSessionKey(errand.Route{Channel: "test", Account: "main", Chat: "c1"}, cleo.ID), heard("you said hello from "+id))
	}
	p.reaches("c1", errand.Sent, errand.Sent, errand.Sent, errand.Sent, errand.Sent)
	want := []string{
		"I do not know you yet. Whoever runs this errand can let you in with the code " + strings.ToUpper(code),
		"You have been let in, Cleo. I am looking at what you wrote.", "you said let me in", "you said hello from 1@lid", "you said hello from +49171",
	}
	got := p.sees("c1")
	if len(got) > 0 {
		got[0], _, _ = strings.Cut(got[0], ":")
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("the stranger sees %q, want %q", got, want)
	}
	if err := p.Service.RemovePerson(ctx, by, app.Owner); err == nil {
		t.Error("the owner was removed")
	}
}

// TestPeopleOfTheConfiguration proves that what errand.yaml says of people is what
// counts: who gets in, who may do what, and how fast.
func TestPeopleOfTheConfiguration(t *testing.T) {
	t.Parallel()
	in, _ := play(t, nil, func(cfg *config.Config) {
		cfg.Access = map[string]config.Access{errand.ChannelWeb: {Mode: config.AccessAllowlist}}
		cfg.Limits.PerMinute = config.Rates{Person: 1}
		if err := cfg.Rights.Set(rights.Command, "/tasks", errand.MasterAdmin); err != nil {
			t.Fatal(err)
		}
	})
	refused := func(err error, kind service.Kind) {
		t.Helper()
		var told *service.Error
		if !errors.As(err, &told) || told.Kind != kind {
			t.Errorf("the error is %v, want one that is %s", err, kind)
		}
	}
	_, _, err := in.Service.AskLogin(t.Context(), "Cleo", "", "")
	refused(err, service.KindForbidden)
	say := func(role errand.Role, text string) (intake.Outcome, error) {
		return in.Intake.Accept(t.Context(), intake.Inbound{Route: errand.WebRoute("main"), Person: app.Owner, Role: role, Text: text})
	}
	if out, err := say(errand.Partner, "/tasks"); err != nil || !strings.Contains(out.Answer, "is for the role master_admin") {
		t.Errorf("the command is answered %q, %v", out.Answer, err)
	}
	_, err = say("", "hello")
	refused(err, service.KindTooMany)
}
