package workflows_test

import (
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"errand/api"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/test/workflowtest"
)

// TestBadAnswers proves what is answered to whoever answers no question that they may: it is
// over, it is not theirs, it is not there, or it could be several; and that nothing comes of
// it.
func TestBadAnswers(t *testing.T) {
	chat := core.Route{Channel: "test", Account: "main", Chat: "7"}
	answer := func(person core.PersonID, role core.Role, chat string) func(*workflowtest.Installation, string) string {
		return func(in *workflowtest.Installation, id string) string {
			return in.Write(workflowtest.Message{Route: core.WebRoute(chat), Person: person, Role: role, Text: "/answer " + id + " Monday"})
		}
	}
	mine := answer(workflowtest.Owner, core.MasterAdmin, "main")
	for _, test := range []struct {
		name   string
		before func(*workflowtest.Installation, core.Question)
		answer func(in *workflowtest.Installation, id string) string
		want   string
		open   bool // the question is, afterwards
	}{
		{"its task is canceled", func(in *workflowtest.Installation, q core.Question) {
			if err := in.CancelTask(q.Task, "enough"); err != nil {
				in.T.Fatal(err)
			}
			in.Settle()
		}, mine, "Sasha no longer needs an answer to Q.", false},
		{"a button of one that is withdrawn", func(in *workflowtest.Installation, q core.Question) {
			if err := in.CancelTask(q.Task, "enough"); err != nil {
				in.T.Fatal(err)
			}
			in.Settle()
		}, func(in *workflowtest.Installation, id string) string {
			rows, err := in.Store.Deliveries(in.T.Context(), nil, store.Page{})
			if err != nil {
				in.T.Fatal(err)
			}
			for _, n := range rows {
				if string(n.Question) == id && len(n.Receipts) > 0 {
					return in.Accept(intake.Inbound{Route: chat, Person: workflowtest.Owner, Role: core.MasterAdmin, Text: "Monday", ReplyTo: n.Receipts[0], Pressed: true}).Answer
				}
			}
			return "it was not shown"
		}, "Sasha no longer needs an answer to Q.", false},
		{"it is declined already", func(in *workflowtest.Installation, q core.Question) { in.Command("/decline " + string(q.ID)) },
			mine, "Owner has already declined Q.", false},
		{"it is another's", nil, answer("ana", core.Member, "other"), "There is no question Q; check the id.", true},
		{"by a guest", nil, answer("gus", core.Guest, "other"), "There is no question Q; check the id.", true},
		{"there is none", nil, func(in *workflowtest.Installation, _ string) string { return mine(in, "q-22222222") }, "There is no question q-22222222; check the id.", true},
		{"an id that is none", nil, func(in *workflowtest.Installation, _ string) string { return mine(in, "t-22222222") }, "There is no question t-22222222; check the id.", true},
		{"nothing is said", nil, func(in *workflowtest.Installation, id string) string { return in.Command("/answer " + id) }, "", true},
	} {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Person("ana", "Ana", core.Member)
				in.Person("gus", "Gus", core.Guest)
				in.Write(workflowtest.Message{Route: chat, Text: do(send("sasha", do(asks("Which day?"))))})
				in.Settle()
				in.Pass(5 * time.Second)
				q := question(in)
				if test.before != nil {
					test.before(in, q)
				}
				if got := strings.ReplaceAll(test.answer(in, string(q.ID)), string(q.ID), "Q"); !strings.HasPrefix(got, test.want) || got == "" {
					t.Errorf("they read %q, want %q", got, test.want)
				}
				in.Settle()
				if now, err := in.Store.Question(in.T.Context(), q.ID); err != nil || (now.State == core.QuestionOpen) != test.open {
					t.Errorf("the question is %s, %v", now.State, err)
				}
				for _, m := range in.Transcript(q.Call.Owner) {
					if strings.Contains(m.Text, "Monday") {
						t.Errorf("Sasha is told %q", m.Text)
					}
				}
			})
		})
	}
}

// TestTwoAnswersAtOnce proves that of two answers from two chats the first counts, and that
// whoever gave the other reads which that was.
func TestTwoAnswersAtOnce(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", do(asks("Which day?")))))
		in.Settle()
		q := question(in)
		days := []string{"Monday", "Tuesday"}
		answers := make([]string, len(days))
		var wg sync.WaitGroup
		for i, day := range days {
			wg.Go(func() {
				out, err := in.House.Accept(in.T.Context(), intake.Inbound{Route: core.WebRoute("chat" + day), Person: workflowtest.Owner, Role: core.MasterAdmin, Text: "/answer " + string(q.ID) + " " + day})
				if err != nil {
					t.Error(err)
				}
				answers[i] = out.Answer
			})
		}
		wg.Wait()
		in.Pass(10 * time.Second)
		first, second := 0, 1
		if strings.HasPrefix(answers[1], "Sasha has your answer") {
			first, second = 1, 0
		}
		if answers[first] != "Sasha has your answer: "+days[first] || !strings.HasPrefix(answers[second], "You have already answered "+string(q.ID)) || !strings.Contains(answers[second], days[first]) {
			t.Errorf("they read %q", answers)
		}
		if task := in.TaskOf("sasha"); task.State != core.Completed || !strings.Contains(task.Result, days[first]) || strings.Contains(task.Result, days[second]) {
			t.Errorf("the task is %s: %q", task.State, task.Result)
		}
	})
}

// TestAllFail proves that agents which all fail decide nothing, whatever the policy is, and
// that what follows is what follows no yes.
func TestAllFail(t *testing.T) {
	t.Parallel()
	refused := &llm.Error{Kind: llm.Refused}
	for _, test := range []struct {
		policy string
		fails  error
	}{
		{"all", errors.New("no model")}, // which is tried for two days
		{"all", refused}, {"any", refused}, {"majority", refused}, {"quorum:1", refused}, {"majority veto:finn", refused},
	} {
		t.Run(test.policy+", "+test.fails.Error(), func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				for _, agent := range []string{"sasha", "finn"} {
					in.Stage.Failing(agent, test.fails)
				}
				in.Decide("shall we fly?", api.NewTask{Expect: api.ExpectDecision, Policy: test.policy, Then: &core.Branch{Agents: []core.AgentName{"priest"}, Task: "book it"}, Else: &core.Branch{Agents: []core.AgentName{"priest"}, Task: "stay"}}, "sasha", "finn")
				in.Pass(48 * time.Hour)
				if task := in.TaskOf("finn"); task.State != core.Failed || task.Decision != core.AnswerNoQuorum || !strings.Contains(task.Error, "0 counted") {
					t.Errorf("it is %s with %q: %s%s", task.State, task.Decision, task.Result, task.Error)
				}
				if tasks := in.Tasks(); len(tasks) != 2 || !strings.HasPrefix(in.TaskOf("priest").Text, "stay") {
					t.Errorf("there are %+v", tasks)
				}
			})
		})
	}
}
