package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
	"errand/internal/tools"
)

// TestApproverLosesTheRole proves that a yes is worth nothing by whoever does not decide
// any more: neither while the call waits, nor when they have said it and it has not run yet.
func TestApproverLosesTheRole(t *testing.T) {
	tests := []struct {
		name  string
		first bool // the yes comes before the role is lost
		told  string
	}{
		{"before the yes", false, "waits for approval"},
		{"between the yes and the run", true, "may no longer approve this call"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withPayment(t, core.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
				in.Person("ada", "Ada", core.MasterAdmin)
				in.Send(do(pay(5)))
				in.Pass(time.Minute)
				q := question(in)
				if tt.first { // and nobody is signalled
					end := store.CloseQuestion{ID: q.ID, State: core.QuestionAnswered, Answer: core.ApprovedOnce, By: "ada"}
					if _, _, _, err := in.Store.CloseQuestion(in.T.Context(), end); err != nil {
						t.Fatal(err)
					}
				}
				if _, err := in.Store.SetRole(in.T.Context(), "ada", core.Member); err != nil {
					t.Fatal(err)
				}
				if !tt.first {
					ada, err := in.House.Logins.ActorOf(in.T.Context(), "ada")
					if err != nil {
						t.Fatal(err)
					}
					_, err = servicetest.AnswerQuestion(in.T.Context(), in.House.Service, ada, q.ID, api.QuestionAnswer{Text: "yes"})
					if err == nil {
						t.Error("a yes of somebody without the role is taken")
					}
				}
				in.Pass(time.Hour)
				in.Reconcile()
				in.Pass(time.Minute)
				heard := slices.ContainsFunc(in.Transcript(core.SessionOwner(in.Current(workflowtest.Key("main")))), func(m core.Message) bool {
					return strings.Contains(core.Unmarked(m.Text), tt.told)
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
	withPayment(t, core.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
		in.Person("ada", "Ada", core.MasterAdmin)
		in.Send(do(pay(5)))
		in.Settle()
		q := question(in)
		ada, err := in.House.Logins.ActorOf(in.T.Context(), "ada")
		if err != nil {
			t.Fatal(err)
		}
		plain, _, err := servicetest.CreateToken(in.T.Context(), in.House.Service, ada, "ada", api.NewToken{Name: "script", Days: 1})
		if err != nil {
			t.Fatal(err)
		}
		script, err := in.House.Logins.Login(in.T.Context(), plain)
		if err != nil {
			t.Fatal(err)
		}
		program := ada.AsProgram()
		browser, err := in.House.Logins.NewLogin(in.T.Context(), program, "browser", time.Hour)
		if err != nil {
			t.Fatal(err)
		}
		login, err := in.House.Logins.Login(in.T.Context(), browser)
		if err != nil {
			t.Fatal(err)
		}
		for name, deny := range map[string]func() error{
			"the token of the installation": func() error {
				_, err := servicetest.AnswerQuestion(in.T.Context(), in.House.Service, program, q.ID, api.QuestionAnswer{Text: "yes"})
				return err
			},
			"a login of it": func() error {
				_, err := servicetest.AnswerQuestion(in.T.Context(), in.House.Service, login, q.ID, api.QuestionAnswer{Text: "yes"})
				return err
			},
			"a token": func() error {
				_, err := servicetest.AnswerQuestion(in.T.Context(), in.House.Service, script, q.ID, api.QuestionAnswer{Text: "yes"})
				return err
			},
			"a program": func() error {
				_, err := ops.Do(in.T.Context(), in.House.Runner, api.AnswerQuestion, ada,
					api.AnswerQuestionInput{QuestionID: api.QuestionID{ID: string(q.ID)}, Body: api.QuestionAnswer{Text: "yes"}, Program: true})
				return err
			},
		} {
			if err := deny(); err == nil || !strings.Contains(err.Error(), "a token cannot approve") {
				t.Errorf("%s is told %v", name, err)
			}
		}
		plain, _, err = servicetest.CreateToken(in.T.Context(), in.House.Service, ada, "ada", api.NewToken{Name: "chats", Scope: "read chat"})
		if err != nil {
			t.Fatal(err)
		}
		chats, err := in.House.Logins.Login(in.T.Context(), plain)
		if err != nil {
			t.Fatal(err)
		}
		for by, want := range map[*actor.Actor]int{&chats: 0, &script: 1} {
			list, err := servicetest.Questions(in.T.Context(), in.House.Service, *by, api.ListQuestionsInput{})
			_, found := ops.Do(in.T.Context(), in.House.Runner, api.GetQuestion, *by, api.QuestionID{ID: string(q.ID)})
			if err != nil || len(list) != want || (found == nil) != (want == 1) {
				t.Errorf("a token sees %d approvals of others, want %d; one by its id: %v; %v", len(list), want, found, err)
			}
		}
		said := in.Accept(intake.Inbound{By: script, Route: core.WebRoute("main"), Person: "ada", Text: "/answer " + string(q.ID) + " yes"})
		if !strings.Contains(said.Answer, "A token cannot approve") {
			t.Errorf("a token that writes in a chat is told %q", said.Answer)
		}
		said = in.Accept(intake.Inbound{By: script, Route: core.WebRoute("main"), Person: "ada", Text: "/questions " + string(q.ID)})
		if !strings.Contains(said.Answer, `"euros": 5`) || strings.Contains(said.Answer, "/answer") {
			t.Errorf("a token that looks is told %q", said.Answer)
		}
		if _, err := servicetest.AnswerQuestion(in.T.Context(), in.House.Service, ada, q.ID, api.QuestionAnswer{Text: "no, not now"}); err != nil {
			t.Fatal(err)
		}
		if got := in.Command("/answer " + string(q.ID) + " yes"); !strings.Contains(got, "already declined") {
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
	withPayment(t, core.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
		in.Send(do(pay(5), pay(6)))
		in.Settle()
		list, err := servicetest.Questions(in.T.Context(), in.House.Service, owner, api.ListQuestionsInput{})
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
	withPayment(t, core.ApproveFirst, func(in *workflowtest.Installation, p *aPayment) {
		if err := in.Tools.Replace("bank", []tools.Tool{{Name: "bank.pay", Effect: tools.Once, Untrusted: true, Role: core.Guest, Run: p.run}}); err != nil {
			t.Fatal(err)
		}
		in.Send(do(pay(5)))
		in.Settle()
		q := question(in)
		if len(q.Options) != 2 || q.Approval.ForSession {
			t.Errorf("the answers are %q", q.Options)
		}
		if got := in.Command("/answer " + string(q.ID) + " always"); !strings.Contains(got, "with one of these") {
			t.Errorf("always is answered %q", got)
		}
		in.Pass(time.Minute)
		if len(p.given) > 0 {
			t.Errorf("the tool was given %q", p.given)
		}
	})
}
