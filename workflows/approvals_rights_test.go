package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"errand"
	"errand/internal/intake"
	"errand/internal/service"
	"errand/internal/store"
	"errand/internal/tools"
	"errand/workflows/workflowtest"
)

// TestApproverLosesTheRole proves that a yes is worth nothing by whoever does not decide
// any more: neither while the call waits, nor when they have said it and it has not run yet.
func TestApproverLosesTheRole(t *testing.T) {
	tests := []struct {
		name  string
		first bool // the yes comes before the role is lost
		told  string
	}{
		{"before the yes", false, "waits for a yes"},
		{"between the yes and the run", true, "does not decide about it any more"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withPayment(t, errand.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
				in.Person("ada", "Ada", errand.MasterAdmin)
				in.Send(do(pay(5)))
				in.Pass(time.Minute)
				q := question(in)
				if tt.first { // and nobody is signalled
					end := store.CloseQuestion{ID: q.ID, State: errand.QuestionAnswered, Answer: errand.ApprovedOnce, By: "ada"}
					if _, _, _, err := in.Store.CloseQuestion(in.T.Context(), end); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := in.Store.SetRole(in.T.Context(), "ada", errand.Member); err != nil {
					t.Fatal(err)
				}
				if !tt.first {
					ada, err := in.House.ActorOf(in.T.Context(), "ada")
					if err != nil {
						t.Fatal(err)
					}
					_, err = in.House.AnswerQuestion(in.T.Context(), ada, string(q.ID), service.Answer{Text: "yes"})
					if err == nil {
						t.Error("a yes of somebody without the role is taken")
					}
				}
				in.Pass(time.Hour)
				in.Reconcile()
				in.Pass(time.Minute)
				heard := slices.ContainsFunc(in.Transcript(errand.SessionOwner(in.Current(workflowtest.Key("main")))), func(m errand.Message) bool {
					return strings.Contains(errand.Unmarked(m.Text), tt.told)
				})
				if len(p.given) > 0 || !heard {
					t.Errorf("the tool was given %q; the agent is told %q: %v", p.given, tt.told, heard)
				}
			})
		})
	}
}

// TestWhoApproves proves that a person approves, and neither a token nor a program of
// theirs; and that of two who answer at once the first counts, from whichever chat.
func TestWhoApproves(t *testing.T) {
	withPayment(t, errand.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
		in.Person("ada", "Ada", errand.MasterAdmin)
		in.Send(do(pay(5)))
		in.Settle()
		q := question(in)
		ada, err := in.House.ActorOf(in.T.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		plain, _, err := in.House.CreateToken(in.T.Context(), ada, "ada", service.NewToken{Name: "script", ValidFor: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		script, err := in.House.Login(in.T.Context(), plain)
		if err != nil {
			t.Fatal(err)
		}
		program := ada.AsProgram()
		browser, err := in.House.NewLogin(in.T.Context(), program, "browser", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		login, err := in.House.Login(in.T.Context(), browser)
		if err != nil {
			t.Fatal(err)
		}
		for name, deny := range map[string]func() error{
			"the token of the installation": func() error {
				_, err := in.House.AnswerQuestion(in.T.Context(), program, string(q.ID), service.Answer{Text: "yes"})
				return err
			},
			"a login of it": func() error {
				_, err := in.House.AnswerQuestion(in.T.Context(), login, string(q.ID), service.Answer{Text: "yes"})
				return err
			},
			"a token": func() error {
				_, err := in.House.AnswerQuestion(in.T.Context(), script, string(q.ID), service.Answer{Text: "yes"})
				return err
			},
			"a program": func() error {
				_, err := in.House.AnswerQuestion(in.T.Context(), ada, string(q.ID), service.Answer{Text: "yes", Program: true})
				return err
			},
		} {
			if err := deny(); err == nil || !strings.Contains(err.Error(), "approves nothing") {
				t.Errorf("%s is told %v", name, err)
			}
		}
		plain, _, err = in.House.CreateToken(in.T.Context(), ada, "ada", service.NewToken{Name: "chats", Scope: "read chat"})
		if err != nil {
			t.Fatal(err)
		}
		chats, err := in.House.Login(in.T.Context(), plain)
		if err != nil {
			t.Fatal(err)
		}
		for by, want := range map[*service.Actor]int{&chats: 0, &script: 1} {
			list, err := in.House.Questions(in.T.Context(), *by, "", false, 0)
			_, found := in.House.Question(in.T.Context(), *by, string(q.ID))
			if err != nil || len(list) != want || (found == nil) != (want == 1) {
				t.Errorf("a token sees %d approvals of others, want %d; one by its id: %v; %v", len(list), want, found, err)
			}
		}
		said := in.Accept(intake.Inbound{By: script, Route: errand.WebRoute("main"), Person: "ada", Text: "/answer " + string(q.ID) + " yes"})
		if !strings.Contains(said.Answer, "approves nothing") {
			t.Errorf("a token that writes in a chat is told %q", said.Answer)
		}
		said = in.Accept(intake.Inbound{By: script, Route: errand.WebRoute("main"), Person: "ada", Text: "/questions " + string(q.ID)})
		if !strings.Contains(said.Answer, `"euros": 5`) || strings.Contains(said.Answer, "/answer") {
			t.Errorf("a token that looks is told %q", said.Answer)
		}
		if _, err := in.House.AnswerQuestion(in.T.Context(), ada, string(q.ID), service.Answer{Text: "no, not now"}); err != nil {
			t.Fatal(err)
		}
		if got := in.Command("/answer " + string(q.ID) + " yes"); !strings.Contains(got, "has declined") {
			t.Errorf("the second answer is answered %q", got)
		}
		in.Pass(time.Minute)
		if len(p.given) > 0 {
			t.Errorf("the tool was given %q", p.given)
		}
	})
}

// TestApprovalsOfOneStep proves that each call of a step has its own yes or no.
func TestApprovalsOfOneStep(t *testing.T) {
	withPayment(t, errand.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
		in.Send(do(pay(5), pay(6)))
		in.Settle()
		list, err := in.House.Questions(in.T.Context(), owner, "", false, 0)
		if err != nil || len(list) != 2 {
			t.Fatalf("%+v, %v", list, err)
		}
		for _, q := range list {
			says := "no"
			if strings.Contains(q.Approval.Arguments, "6") {
				says = "yes"
			}
			in.Command("/answer " + string(q.ID) + " " + says)
			in.Pass(time.Second)
		}
		in.Pass(time.Minute)
		if !slices.Equal(p.given, paid("6")) {
			t.Errorf("the tool was given %q", p.given)
		}
	})
}

// TestNoSessionForUntrusted proves that a tool that must not run twice, and that nobody
// here vouches for, is not allowed for a whole session.
func TestNoSessionForUntrusted(t *testing.T) {
	withPayment(t, errand.ApproveFirst, func(in *workflowtest.Installation, p *aPayment) {
		if err := in.Tools.Replace("bank", []tools.Tool{{Name: "bank.pay", Effect: tools.Once, Untrusted: true, Role: errand.Guest, Run: p.run}}); err != nil {
			t.Fatal(err)
		}
		in.Send(do(pay(5)))
		in.Settle()
		q := question(in)
		if len(q.Options) != 2 || q.Approval.ForSession {
			t.Errorf("the answers are %q", q.Options)
		}
		if got := in.Command("/answer " + string(q.ID) + " always"); !strings.Contains(got, "waits for yes or no") {
			t.Errorf("always is answered %q", got)
		}
		in.Pass(time.Minute)
		if len(p.given) > 0 {
			t.Errorf("the tool was given %q", p.given)
		}
	})
}
