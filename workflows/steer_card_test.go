package workflows_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/store"
	"errand/internal/test/workflowtest"
)

// TestReplyToCard proves that a reply to the message that shows how far the tasks of a turn
// are is added to the one that is at work; that errand asks which, where several are; and
// that it is a message to the agent of the chat once the task has ended, or where it is
// somebody else's.
func TestReplyToCard(t *testing.T) {
	chat := core.Route{Channel: "test", Account: "main", Chat: "7"}
	key := core.NewSessionKey(chat, workflowtest.Owner)
	both := do(send("sasha", "wait one"), send("finn", "wait two"))
	for _, test := range []struct {
		name   string
		asks   string
		open   []string // gates, before the reply
		to     string   // the message replied to; default: the card
		change func(*intake.Inbound)
		want   string // of errand's answer; empty: the agent answers
	}{
		{name: "a task at work", asks: do(send("sasha", "wait one")), want: "Sasha will read that before the next step of t-"},
		{name: "one of two has ended", asks: both, open: []string{"two"}, want: "Sasha will read that before the next step of t-"},
		{name: "two at work", asks: both, want: "finn: wait two (t-"},
		{name: "it has ended", asks: do(send("sasha", "wait one")), open: []string{"one"}},
		{name: "another message", asks: do(send("sasha", "wait one")), to: "c-2"},
		{name: "somebody else's words", asks: do(send("sasha", "wait one")), change: func(m *intake.Inbound) { m.Forwarded = true }},
	} {
		t.Run(test.name, func(t *testing.T) {
			workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
				in.Write(workflowtest.Message{Route: chat, Text: test.asks})
				in.Settle()
				s := in.Tasks()[0].Caller
				session := core.SessionID(s.Owner)
				if _, claimed, _, err := in.Store.ClaimProgress(in.T.Context(), session, s.Turn, time.Minute); err != nil || !claimed {
					in.T.Fatal(claimed, err)
				}
				if err := in.Store.NoteProgress(in.T.Context(), session, s.Turn, store.Progress{Message: "c-1", Open: true}, 0); err != nil {
					in.T.Fatal(err)
				}
				for _, gate := range test.open {
					in.Stage.Open(gate)
					in.Settle()
				}
				m := intake.Inbound{Route: chat, Person: workflowtest.Owner, Role: core.MasterAdmin, MessageID: "m-9", ReplyTo: "c-1", Text: "by night"}
				if test.to != "" {
					m.ReplyTo = test.to
				}
				if test.change != nil {
					test.change(&m)
				}
				for range 2 { // delivered again it says no more
					if got := in.Accept(m).Answer; !strings.Contains(got, test.want) || test.want == "" && got != "" {
						t.Errorf("errand answers %q, want %q", got, test.want)
					}
				}
				in.Settle()
				if reached := slices.ContainsFunc(in.ReadIn(key), func(read string) bool { return strings.Contains(read, "by night") }); reached != (test.want == "") {
					t.Errorf("that it reached the agent of the chat is %v: %q", reached, in.ReadIn(key))
				}
				added := strings.HasPrefix(test.want, "Sasha will read that")
				if !added {
					return
				}
				in.Stage.Open("one")
				in.Settle()
				if got := in.TaskOf("sasha").Result; strings.Count(got, said+"by night") != 1 {
					t.Errorf("the result is %q", got)
				}
			})
		})
	}
}
