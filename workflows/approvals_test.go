package workflows_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/store"
	"errand/internal/test/llmtest"
	"errand/internal/test/workflowtest"
	"errand/internal/tools"
)

// aPayment is a tool that must not run twice, and what it was given each time.
type aPayment struct {
	given []string
	bill  string // the stored content that a payment uses; empty: none
}

func (p *aPayment) bind(context.Context, string, json.RawMessage) (any, error) {
	return map[string]string{"sha256": p.bill}, nil
}

func (p *aPayment) run(_ context.Context, _ store.Call, args json.RawMessage) (string, error) {
	p.given = append(p.given, string(args))
	return "paid", nil
}

// withPayment runs a test on an installation in which the tool bank.pay waits for a yes.
func withPayment(t *testing.T, rule core.ApprovalRule, test func(*workflowtest.Installation, *aPayment)) {
	t.Helper()
	withPaymentOn(t, rule, workflowtest.Options{}, test)
}

func withPaymentOn(t *testing.T, rule core.ApprovalRule, o workflowtest.Options, test func(*workflowtest.Installation, *aPayment)) {
	t.Helper()
	agent := func(name core.AgentName, delegates ...core.AgentName) agents.Agent {
		return agents.Agent{Name: name, Instructions: "I am " + string(name) + ".", Tools: []string{"*"}, Delegates: delegates}
	}
	roster, err := agents.New("nikki", []agents.Agent{agent("nikki", "sasha"), agent("sasha", "finn"), agent("finn")}, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	more := o.Activities
	o.Roster, o.Activities = roster, func(d *activities.Deps) {
		if d.Approvals = (tools.Approvals{"bank.*": rule}); more != nil {
			more(d)
		}
	}
	workflowtest.Run(t, o, func(in *workflowtest.Installation) {
		p := &aPayment{}
		if err := in.Tools.Replace("bank", []tools.Tool{{Name: "bank.pay", Effect: tools.Once, Role: core.Guest, Run: p.run}}); err != nil {
			t.Fatal(err)
		}
		test(in, p)
	})
}

func pay(euros int) llmtest.ToolCall {
	return llmtest.ToolCall{Tool: "bank.pay", Args: fmt.Sprintf(`{"euros":%d}`, euros)}
}

func paid(euros string) []string { return []string{"{\n  \"euros\": " + euros + "\n}"} }

var testChat = core.Route{Channel: "test", Account: "main", Chat: "7"}

func sentAs(in *workflowtest.Installation, q core.Question) string {
	in.T.Helper()
	rows, err := in.Store.Deliveries(in.T.Context(), nil, store.Page{})
	if err != nil {
		in.T.Fatal(err)
	}
	for _, n := range rows {
		if n.Question == q.ID && len(n.Receipts) > 0 {
			return n.Receipts[0]
		}
	}
	in.T.Fatalf("%s was not sent", q.ID)
	return ""
}

// TestApproval proves that a tool which waits for a yes runs once that is there, with the
// arguments that were shown, and never otherwise: in the turn that waits for it, answered
// by a button, a reply or a command; by no loose word; and that what was declined is told
// to the agent with the reason.
func TestApproval(t *testing.T) {
	const mine, button, reply = 0, 1, 2
	type scriptedAnswer struct {
		text string
		by   int
		want string // errand's answer; empty: it is a message to the agent
	}
	tests := []struct {
		name string
		says []scriptedAnswer
		runs int
		told string // to the agent, in its reply
	}{
		{"a button", []scriptedAnswer{{"Approve", button, "Approved: Nikki runs bank.pay"}}, 1, "paid"},
		{"a reply", []scriptedAnswer{{"yes", reply, "Approved"}}, 1, "paid"},
		{"the command", []scriptedAnswer{{"/answer ID yes", mine, "Approved"}}, 1, "paid"},
		{"the command in Spanish", []scriptedAnswer{{"/answer ID sí", mine, "Approved"}}, 1, "paid"},
		{"a button pressed twice", []scriptedAnswer{{"Approve", button, "Approved"}, {"Approve", button, "already approved"}}, 1, "paid"},
		{"a button of another answer afterwards", []scriptedAnswer{{"Decline", button, "Declined"}, {"Approve", button, "already declined"}}, 0, "It was declined."},
		{"declined with a reason", []scriptedAnswer{{"/answer ID no, because it is too much", mine, "Declined: bank.pay will not run"}}, 0, "<reason>\nbecause it is too much\n</reason>"},
		{"declined with a reason by the other command", []scriptedAnswer{{"/decline ID too much", mine, "Declined"}}, 0, "<reason>\ntoo much\n</reason>"},
		{"the word of the button in a reply", []scriptedAnswer{{"approve!", reply, "Approved"}}, 1, "paid"},
		{"the word of the other button, with a reason", []scriptedAnswer{{"Decline: ask Ada first", reply, "Declined"}}, 0, "<reason>\nask Ada first\n</reason>"},
		{"a question decides nothing", []scriptedAnswer{{"Approve?", reply, "with one of these"}, {"yes?", reply, "with one of these"}, {"Declined by whom?", reply, "with one of these"}, {"yes", reply, "Approved"}}, 1, "paid"},
		{"a loose word declines nothing", []scriptedAnswer{{"decline", mine, "A plain word in the chat does not decide an approval"}, {"no", mine, "A plain word in the chat does not decide an approval"}, {"Decline", button, "Declined"}}, 0, "It was declined."},
		{"declined with a reason in a reply", []scriptedAnswer{{"No: ask Ada first", reply, "Declined"}}, 0, "<reason>\nask Ada first\n</reason>"},
		{"a loose word approves nothing", []scriptedAnswer{{"yes", mine, "A plain word in the chat does not decide an approval"}, {"👍", mine, "A plain word in the chat does not decide an approval"}, {"approve", mine, "A plain word in the chat does not decide an approval"}, {"Approve", button, "Approved"}}, 1, "paid"},
		{"a yes with more is no yes", []scriptedAnswer{{"yes, but only 4", reply, "with one of these"}, {"/answer ID yes but only 4", mine, "with one of these"}, {"/answer ID yes", mine, "Approved"}}, 1, "paid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withPayment(t, core.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
				in.Write(workflowtest.Message{Route: testChat, Text: do(pay(5))})
				in.Settle()
				q := question(in)
				if q.Kind != core.AsksApproval || q.Approval.Tool != "bank.pay" || len(p.given) > 0 {
					t.Fatalf("%+v is asked, and the tool was given %q", q, p.given)
				}
				key := core.NewSessionKey(testChat, workflowtest.Owner)
				if read := in.ReadIn(key); len(read) != 1 || !strings.Contains(read[0], paid("5")[0]) || !strings.Contains(read[0], "/answer "+string(q.ID)+" yes") {
					t.Errorf("the person reads %q", read)
				}
				for _, s := range tt.says {
					m := intake.Inbound{Route: testChat, Person: workflowtest.Owner, Role: core.MasterAdmin, Text: strings.ReplaceAll(s.text, "ID", string(q.ID)), Pressed: s.by == button}
					if s.by != mine {
						m.ReplyTo = sentAs(in, q)
					}
					if got := in.Accept(m).Answer; !strings.Contains(got, s.want) {
						t.Errorf("%q is answered %q, want %q", m.Text, got, s.want)
					}
				}
				in.Pass(5 * time.Second)
				if len(p.given) != tt.runs || tt.runs > 0 && !slices.Equal(p.given, paid("5")) {
					t.Errorf("the tool was given %q", p.given)
				}
				read := in.ReadIn(key)
				if last := core.Unmarked(read[len(read)-1]); !strings.Contains(last, tt.told) {
					t.Errorf("the reply is %q, want %q", last, tt.told)
				}
			})
		})
	}
}

// TestLateApproval proves that the person may go on talking while a call waits for their
// yes, that the turn ends when its patience does, and that the call runs in a turn of its
// own when the yes comes days later: once, and told.
func TestLateApproval(t *testing.T) {
	withPayment(t, core.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
		in.Send(do(pay(5)))
		in.Pass(10 * time.Second)
		q := question(in)
		in.Send("how are you?")
		in.Pass(2 * time.Minute)
		if read := in.Read(); !strings.Contains(read[len(read)-1], "you said how are you?") || len(p.given) > 0 {
			t.Fatalf("the person reads %q, and the tool was given %q", read, p.given)
		}
		in.Pass(50 * time.Hour)
		if got := in.Command("/answer " + string(q.ID) + " yes"); !strings.Contains(got, "Approved") {
			t.Errorf("errand answers %q", got)
		}
		in.Pass(10 * time.Second)
		in.Reconcile()
		in.Pass(10 * time.Second)
		read := in.Read()
		if !slices.Equal(p.given, paid("5")) || !strings.Contains(read[len(read)-1], "paid") {
			t.Errorf("the tool was given %q, and the person reads %q", p.given, read)
		}
	})
}

// TestApprovalOfSubAgent proves that a call of a sub-agent, however deep, waits in the same
// way: the task needs input, an answer_task gives no yes, and the sub-agent goes on where
// it was. (In mastra#23626 an approval restarted the child from its beginning.)
func TestApprovalOfSubAgent(t *testing.T) {
	withPayment(t, core.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
		in.Send(do(send("sasha", do(llmtest.Ask("finn", do(pay(5)))))))
		in.Pass(5 * time.Second)
		q := question(in)
		if task := in.TaskOf("finn"); task.State != core.InputRequired || q.Task != task.ID {
			t.Errorf("%s is %s, and %s is about %s", task.ID, task.State, q.ID, q.Task)
		}
		in.Send(do(llmtest.Use("answer_task", map[string]string{"question_id": string(q.ID), "answer": "yes"})))
		in.Pass(5 * time.Second)
		if read := in.Read(); len(p.given) > 0 || !strings.Contains(read[len(read)-1], "an agent cannot answer it") {
			t.Errorf("the tool was given %q, and the person reads %q", p.given, read)
		}
		calls := in.Stage.Called("finn")
		in.Command("/answer " + string(q.ID) + " yes")
		in.Pass(10 * time.Second)
		if task := in.TaskOf("finn"); !slices.Equal(p.given, paid("5")) || task.State != core.Completed || in.Stage.Called("finn") != calls+1 {
			t.Errorf("the tool was given %q, the task is %s, and finn's model was called %d times more", p.given, task.State, in.Stage.Called("finn")-calls)
		}
	})
}

// TestApprovalOnce proves what a yes is good for: by the rule "first" for the same
// arguments in that session, by "always" for this one call, by the button of its own for the
// tool until the session is over, and never for other arguments than were shown.
func TestApprovalOnce(t *testing.T) {
	tests := []struct {
		name string
		rule core.ApprovalRule
		says string
		then int  // is paid next
		asks bool // and is asked about
	}{
		{"first, the same again", core.ApproveFirst, "yes", 5, false},
		{"first, after the arguments changed", core.ApproveFirst, "yes", 6, true},
		{"first, this tool in this session", core.ApproveFirst, "Always approve bank.pay in this session", 6, false},
		{"always, the same again", core.ApproveAlways, "yes", 5, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withPayment(t, tt.rule, func(in *workflowtest.Installation, p *aPayment) {
				in.Send(do(pay(5)))
				in.Settle()
				in.Command("/answer " + string(question(in).ID) + " " + tt.says)
				in.Pass(time.Second)
				in.Send(do(pay(tt.then)))
				in.Pass(time.Second)
				want := 2
				if tt.asks {
					want = 1
					question(in)
				}
				if len(p.given) != want {
					t.Errorf("the tool was given %q", p.given)
				}
			})
		})
	}
}

// TestApprovalOfContent proves that a yes to a call which uses stored content is good for that
// content alone: what has changed since is not run, and is asked about again by the rule "first".
func TestApprovalOfContent(t *testing.T) {
	tests := []struct {
		name             string
		answered, called string // the bill when the person answers, and when the agent calls the tool again
		given            []string
		asks             bool // the second call is asked about
		told             string
	}{
		{"it stays", "bill 1", "bill 1", []string{"bill 1", "bill 1"}, false, "paid"},
		{"it changes before the answer", "bill 2", "bill 1", []string{"bill 1"}, false, "error: bank.pay was not run: its files have changed since the approval"},
		{"it changes before the second call", "bill 1", "bill 2", []string{"bill 1"}, true, "paid"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withPayment(t, core.ApproveFirst, func(in *workflowtest.Installation, p *aPayment) {
				tool := tools.Tool{Name: "bank.pay", Effect: tools.Once, Role: core.Guest, Run: p.run, Bind: p.bind}
				if err := in.Tools.Replace("bank", []tools.Tool{tool}); err != nil {
					t.Fatal(err)
				}
				p.bill = "bill 1"
				in.Send(do(pay(5)))
				in.Settle()
				q := question(in)
				if !strings.Contains(q.Approval.Arguments, `"sha256": "bill 1"`) || q.Approval.ForSession {
					t.Errorf("%+v is asked", q.Approval)
				}
				p.bill = tt.answered
				in.Command("/answer " + string(q.ID) + " yes")
				in.Pass(time.Second)
				if read := strings.Join(in.Read(), "\n"); !strings.Contains(read, tt.told) {
					t.Errorf("the person reads %q, want %q", read, tt.told)
				}
				p.bill = tt.called
				in.Send(do(pay(5)))
				in.Pass(time.Second)
				if tt.asks {
					question(in)
				}
				if len(p.given) != len(tt.given) {
					t.Fatalf("the tool was given %q, want %q", p.given, tt.given)
				}
				for i, bill := range tt.given {
					if !strings.Contains(p.given[i], bill) {
						t.Errorf("the tool was given %q, want %q", p.given[i], bill)
					}
				}
			})
		})
	}
}

// TestApprovalEnds proves that what ends the work that asks, or the right to it, ends the
// approval, too: nothing runs by it any more.
func TestApprovalEnds(t *testing.T) {
	answers := func(want string) func(in *workflowtest.Installation, q core.Question) {
		return func(in *workflowtest.Installation, q core.Question) {
			in.T.Helper()
			if got := in.Command("/answer " + string(q.ID) + " yes"); !strings.Contains(got, want) {
				in.T.Errorf("errand answers %q, want %q", got, want)
			}
		}
	}
	tests := []struct {
		name   string
		before func(in *workflowtest.Installation)
		answer func(in *workflowtest.Installation, q core.Question)
	}{
		{"/reset", func(in *workflowtest.Installation) { in.Command("/reset") }, answers("no longer needs an answer")},
		{"/stop", func(in *workflowtest.Installation) { in.Command("/stop") }, answers("no longer needs an answer")},
		{"expired", func(in *workflowtest.Installation) { in.Pass(8 * 24 * time.Hour); in.Reconcile() }, answers("has expired")},
		{"somebody without the role", func(*workflowtest.Installation) {}, func(in *workflowtest.Installation, q core.Question) {
			got := in.Write(workflowtest.Message{Route: core.WebRoute("main"), Role: core.Member, Text: "/answer " + string(q.ID) + " yes"})
			if !strings.Contains(got, "needs approval from Owner") {
				in.T.Errorf("errand answers %q", got)
			}
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			withPayment(t, core.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
				in.Send(do(pay(5)))
				in.Settle()
				q := question(in)
				tt.before(in)
				in.Pass(time.Second)
				tt.answer(in, q)
				in.Pass(time.Minute)
				in.Reconcile()
				if len(p.given) > 0 {
					t.Errorf("the tool was given %q", p.given)
				}
			})
		})
	}
}

// TestStopAllWithdraws proves that /stop all ends what an earlier turn has asked for, too.
func TestStopAllWithdraws(t *testing.T) {
	withPayment(t, core.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
		in.Send(do(pay(5)))
		in.Pass(10 * time.Minute) // the turn is over
		q := question(in)
		if got := in.Command("/stop all"); strings.Contains(got, "othing") {
			t.Errorf("errand answers %q", got)
		}
		if got := in.Command("/answer " + string(q.ID) + " yes"); !strings.Contains(got, "no longer needs an answer") {
			t.Errorf("errand answers %q", got)
		}
		in.Pass(time.Hour)
		in.Reconcile()
		in.Pass(time.Minute)
		if len(p.given) > 0 {
			t.Errorf("the tool was given %q", p.given)
		}
	})
}

// TestApprovedWhileItWaits proves that a yes which a sub-agent does not wait for any more,
// since it was told something else, runs at once all the same: it does not wait for what the sub-agent
// waits for since, and that goes on.
func TestApprovedWhileItWaits(t *testing.T) {
	withPayment(t, core.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
		in.Send(do(send("sasha", do(pay(5)))))
		in.Settle()
		id := in.TaskOf("sasha").ID
		q := question(in)
		in.Command("/task " + string(id) + " " + do(llmtest.Ask("finn", "wait one")))
		in.Pass(time.Hour)
		if got := in.Command("/answer " + string(q.ID) + " yes"); !strings.Contains(got, "Approved") {
			t.Errorf("errand answers %q", got)
		}
		in.Pass(5 * time.Second)
		if !slices.Equal(p.given, paid("5")) || in.TaskOf("finn").State.Terminal() {
			t.Errorf("the tool was given %q, and finn's task is %s", p.given, in.TaskOf("finn").State)
		}
		in.Stage.Open("one")
		in.Pass(time.Minute)
		if task := in.TaskOf("sasha"); task.State != core.Completed || !strings.Contains(task.Result, "done one") || len(p.given) != 1 {
			t.Errorf("the task is %s with %q, and the tool was given %q", task.State, task.Result, p.given)
		}
	})
}

// TestToolGoneAfterApproval proves that a call whose tool has gone meanwhile ends with
// that, once.
func TestToolGoneAfterApproval(t *testing.T) {
	withPayment(t, core.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
		in.Send(do(pay(5)))
		in.Settle()
		q := question(in)
		if err := in.Tools.Replace("bank", nil); err != nil {
			t.Fatal(err)
		}
		in.Command("/answer " + string(q.ID) + " yes")
		in.Pass(time.Minute)
		if read := in.Read(); len(p.given) > 0 || !strings.Contains(read[len(read)-1], "this tool no longer exists") {
			t.Errorf("the tool was given %q, and the person reads %q", p.given, read)
		}
	})
}

// TestLongArguments proves that a yes is given to nothing that could not be seen: of
// arguments that are cut in the chat it names what stands at their end.
func TestLongArguments(t *testing.T) {
	withPayment(t, core.ApproveAlways, func(in *workflowtest.Installation, p *aPayment) {
		in.Send(do(llmtest.ToolCall{Tool: "bank.pay", Args: `{"note":"` + strings.Repeat("x", 5000) + `"}`}))
		in.Settle()
		q := question(in)
		if got := in.Command("/answer " + string(q.ID) + " yes"); !strings.Contains(got, "was not shown in full") {
			t.Errorf("errand answers %q", got)
		}
		// What the agent that wrote them could work out is no seal.
		for _, word := range []string{q.Approval.Hash[:6], q.Approval.Hash[:8], q.Approval.Hash} {
			if got := in.Command("/answer " + string(q.ID) + " yes " + word); len(p.given) > 0 || strings.Contains(got, "Approved") {
				t.Errorf("yes with %s is answered %q", word, got)
			}
		}
		whole := in.Command("/questions " + string(q.ID))
		if !strings.Contains(whole, strings.Repeat("x", 5000)) {
			t.Errorf("/questions shows %q", whole)
		}
		in.Command(whole[strings.Index(whole, "/answer"):])
		in.Pass(time.Second)
		if len(p.given) != 1 {
			t.Errorf("the tool was run %d times", len(p.given))
		}
	})
}
