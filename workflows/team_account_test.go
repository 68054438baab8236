package workflows_test

import (
	"slices"
	"strings"
	"testing"

	"errand/activities"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/test/intaketest"
	"errand/internal/test/workflowtest"
)

// TestTeamInItsOwnChat proves that an agent with an account of its own answers in its chat
// with the person, and knows what was said there; that the person reads where they asked
// that it has, and can go on in its chat; and that they are told what to do where they have
// never written to it.
func TestTeamInItsOwnChat(t *testing.T) {
	accounts := agents.Accounts{{Account: core.Account{Channel: "test", Name: "main"}, Agent: "nikki"}, {Account: core.Account{Channel: "test", Name: "workshop"}, Agent: "finn"}}
	o := workflowtest.Options{
		House:      func(d *intaketest.Deps) { d.Accounts = accounts },
		Activities: func(d *activities.Deps) { d.Accounts = accounts },
	}
	workflowtest.Run(t, o, func(in *workflowtest.Installation) {
		in.Person("ana", "Ana", core.Member)
		for _, a := range accounts {
			if err := in.Store.AddIdentity(in.T.Context(), core.Identity{Channel: "test", Account: a.Name, ExternalID: "u1", Person: "ana"}); err != nil {
				in.T.Fatal(err)
			}
		}
		write := func(account, id, text string) {
			in.Receive(intake.Inbound{Route: core.Route{Channel: "test", Account: account, Chat: "u1"}, Sender: intake.Sender{IDs: []string{"u1"}}, MessageID: id, Text: text})
			in.Settle()
		}
		write("main", "1", "hello")
		write("main", "2", "/team @priest @finn implement this")
		if len(in.Tasks()) != 0 {
			t.Errorf("%d were sent where one cannot answer", len(in.Tasks()))
		}
		write("workshop", "3", "hi Finn")
		write("main", "4", "We need OAuth. /team @finn:2 implement this")
		in.Settle()
		id := string(in.TaskOf("finn").ID)
		want := []string{
			"main: you said hello",
			"main: Finn answers from its own account, test/workshop, and you have never written to it, so I have sent nothing. Write to it once, then ask again.",
			"workshop: you said hi Finn",
			"main: Finn is on it (" + id + "), with the last 2 messages, and answers in its own chat with you. I'll tell you here when the answer is there.",
			"workshop: Finn on “implement this” (" + id + "):\n\nyou said ",
			"main: Finn has answered in its own chat with you (" + id + "): you said ",
		}
		var got []string
		for _, n := range in.Outbox("u1") {
			got = append(got, n.Route.Account+": "+n.Text)
			if n.State != core.Sent {
				t.Errorf("%q is %s", n.Text, n.State)
			}
		}
		if !slices.EqualFunc(got, want, strings.HasPrefix) {
			t.Errorf("Ana reads\n\t%q\nwant\n\t%q", got, want)
		}
		for _, part := range []string{"Nikki: you said hello\nAna: We need OAuth.\n", "Ana: hi Finn\nFinn: you said hi Finn\n"} {
			if text := given(in, "finn"); !strings.Contains(text, part) {
				t.Errorf("Finn is given %q, without %q", text, part)
			}
		}
		write("workshop", "5", "and?")
		requests := in.Stage.Requests()
		if !slices.ContainsFunc(requests[len(requests)-1].Messages, func(m core.Message) bool { return m.Speaker == core.FromTool && strings.Contains(m.Text, id) }) {
			t.Errorf("Finn does not know there what he has answered: %+v", requests[len(requests)-1].Messages)
		}
	})
}
