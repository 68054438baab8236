package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"errand/activities"
	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/test/intaketest"
	"errand/internal/test/workflowtest"
)

// TestDecidersAreWrittenTo proves what those read who decide about an approval which whoever
// asked for the work may not answer: it, at once and at any hour, once, in their language, in
// the chat that they have used last and alone; that it is answered there by a button; that reminders
// go to them; and that each reads once how it has ended, whichever
// way. Ben asks, who decides about nothing. Ada decides, and reads Spanish; so does the owner,
// who has used the page only.
func TestDecidersAreWrittenTo(t *testing.T) {
	accounts := agents.Accounts{{Account: core.Account{Channel: "test", Name: "main"}, Agent: "nikki"}}
	chat := func(id string) core.Route { return core.Route{Channel: "test", Account: "main", Chat: id} }
	const asked, page = "Nikki quiere ejecutar bank.pay para Ben", "Nikki wants to run bank.pay for Ben"
	tests := []struct {
		name  string
		does  func(in *workflowtest.Installation, q core.Question)
		ada   []string // she reads, in her chat
		owner []string // on the page
		ben   []string
		runs  int
		lost  bool // Ada's number is not hers any more
	}{
		{"a button", func(in *workflowtest.Installation, q core.Question) {
			for range 2 {
				in.Receive(intake.Inbound{Route: chat("ada"), Sender: intake.Sender{IDs: []string{"ada"}}, MessageID: core.ShortID(8), Text: "Aprobar", Pressed: true, ReplyTo: shownIn(in, q, "ada")})
			}
		}, []string{asked, "Aprobado", "Ada ya ha aprobado"}, []string{page, "Ada approved"}, []string{"needs approval from ", "Ada approved", "paid"}, 1, false},
		{"a word is none", func(in *workflowtest.Installation, q core.Question) {
			in.Receive(intake.Inbound{Route: chat("ada"), Sender: intake.Sender{IDs: []string{"ada"}}, MessageID: "word", Text: "sí"})
			in.Send("yes")
			if now, err := in.Store.Question(in.T.Context(), q.ID); err != nil || now.State != core.QuestionOpen {
				t.Errorf("the approval is %s, %v", now.State, err)
			}
		}, []string{asked, "Una palabra suelta en el chat no decide nada"}, []string{page}, nil, 0, false},
		{"declined on the page", func(in *workflowtest.Installation, q core.Question) {
			in.Command("/decline " + string(q.ID))
		}, []string{asked, "Owner ha rechazado"}, []string{page}, []string{"needs approval from ", "Owner declined", "It was declined."}, 0, false},
		{"withdrawn by whoever has asked", func(in *workflowtest.Installation, _ core.Question) {
			in.Receive(intake.Inbound{Route: chat("ben"), Sender: intake.Sender{IDs: []string{"ben"}}, MessageID: "stop", Text: "/stop"})
			in.Reconcile() // which has sent what a transaction in passing leaves to be sent
		}, []string{asked, "ya no necesita aprobación"}, []string{page, "no longer needs approval"}, nil, 0, false},
		{"nobody decides", func(in *workflowtest.Installation, _ core.Question) {
			in.Pass(8 * 24 * time.Hour)
			in.Reconcile()
			in.Reconcile()
		}, []string{asked, "ya no necesita aprobación"}, []string{page, "no longer needs approval"}, nil, 0, false},
		{"a chat that was hers", func(in *workflowtest.Installation, q core.Question) {
			in.Command("/decline " + string(q.ID))
		}, []string{}, []string{page}, []string{"needs approval from ", "Owner declined", "It was declined."}, 0, true},
		{"reminders", func(in *workflowtest.Installation, _ core.Question) {
			in.Pass(90 * time.Minute)
			in.Reconcile()
			in.Pass(24 * time.Hour)
			in.Reconcile()
		}, []string{asked, "sigue esperando la aprobación", "sigue esperando la aprobación"}, []string{page, "still waiting for approval", "still waiting for approval"}, nil, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withPaymentOn(t, core.ApproveAlways, workflowtest.Options{
				House:      func(d *intaketest.Deps) { d.Accounts = accounts },
				Activities: func(d *activities.Deps) { d.Accounts = accounts },
			}, func(in *workflowtest.Installation, p *aPayment) {
				in.Person("ada", "Ada", core.MasterAdmin)
				in.Person("ben", "Ben", core.Member)
				in.Person("cleo", "Cleo", core.Partner)
				if _, err := in.Store.ChangePerson(in.T.Context(), "ada", store.PersonChange{Language: new("es")}); err != nil {
					t.Fatal(err)
				}
				for _, id := range []string{"ada", "ben", "cleo"} {
					if err := in.Store.AddIdentity(in.T.Context(), core.Identity{Channel: "test", Account: "main", ExternalID: id, Person: core.PersonID(id)}); err != nil {
						t.Fatal(err)
					}
				}
				write := func(id, text string) {
					in.Receive(intake.Inbound{Route: chat(id), Sender: intake.Sender{IDs: []string{id}}, MessageID: core.ShortID(8), Text: text})
				}
				in.Send("hello")
				for _, id := range []string{"ada", "ben", "cleo"} {
					write(id, "hello")
				}
				// A group that she has used since is not hers alone.
				in.Receive(intake.Inbound{Route: chat("all"), Group: true, Sender: intake.Sender{IDs: []string{"ada"}}, MessageID: "g", Text: "hello"})
				in.Pass(time.Hour)
				before := map[string]int{"ada": len(in.Platform.Seen("ada")), "ben": len(in.Platform.Seen("ben")), "cleo": len(in.Platform.Seen("cleo")), "all": len(in.Platform.Seen("all")), "page": len(in.Read())}
				if tt.lost {
					if err := in.Store.RemoveIdentity(in.T.Context(), "test", "main", "ada"); err != nil {
						t.Fatal(err)
					}
				}
				in.SendWithID("m", "hello again")
				in.Settle()
				before["page"] = len(in.Read())
				write("ben", do(pay(5)))
				in.Settle()
				q := question(in)
				notTheReply(in, q.ID, "m")
				tt.does(in, q)
				in.Pass(time.Minute)
				reads := func(who string, got, want []string) {
					t.Helper()
					if got = got[before[who]:]; want != nil && !slices.EqualFunc(got, want, strings.Contains) {
						t.Errorf("%s reads\n\t%q\nwant\n\t%q", who, got, want)
					}
				}
				reads("ada", in.Platform.Seen("ada"), tt.ada)
				reads("ben", in.Platform.Seen("ben"), tt.ben)
				reads("page", slices.DeleteFunc(in.Read(), func(s string) bool { return strings.Contains(s, " UTC (") }), tt.owner)
				reads("cleo", in.Platform.Seen("cleo"), []string{})
				reads("all", in.Platform.Seen("all"), []string{})
				if len(p.given) != tt.runs {
					t.Errorf("the tool was run %d times, want %d", len(p.given), tt.runs)
				}
			})
		})
	}
}

// notTheReply checks that the card of an approval is no reply to a message of whoever decides.
func notTheReply(in *workflowtest.Installation, card core.QuestionID, message string) {
	in.T.Helper()
	key := workflowtest.Key("main")
	events, err := in.Store.Events(in.T.Context(), key, 0, 1000)
	if err != nil {
		in.T.Fatal(err)
	}
	for _, e := range events {
		if e.Question != card {
			continue
		}
		owner := actor.Actor{Person: workflowtest.Owner, Role: core.MasterAdmin}
		reply, err := ops.Do(in.T.Context(), in.House.Runner, api.GetReply, owner, api.GetReplyInput{Chat: "main", Message: message, After: e.ID - 1, Event: func(core.Event) error { return nil }})
		if err != nil || reply.ID == e.ID {
			in.T.Errorf("the card is the reply to a message: %v", err)
		}
	}
}

// TestAskerDecidesAlone proves that nobody else is written to of what the person who asked
// for the work decides about.
func TestAskerDecidesAlone(t *testing.T) {
	withPayment(t, core.ApproveAlways, func(in *workflowtest.Installation, _ *aPayment) {
		in.Person("ada", "Ada", core.MasterAdmin)
		in.Send(do(pay(5)))
		in.Settle()
		if list, err := in.Store.Deciders(in.T.Context(), question(in).ID); err != nil || len(list) > 0 {
			t.Errorf("%+v are written to, %v", list, err)
		}
	})
}

func shownIn(in *workflowtest.Installation, q core.Question, chat string) string {
	in.T.Helper()
	for _, n := range in.Outbox(chat) {
		if n.Question == q.ID && len(n.Receipts) > 0 {
			return n.Receipts[0]
		}
	}
	in.T.Fatalf("%s was not sent to %s", q.ID, chat)
	return ""
}
