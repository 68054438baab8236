package workflows_test

import (
	"strings"
	"testing"
	"time"

	"errand/activities"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/test/intaketest"
	"errand/internal/test/llmtest"
	"errand/internal/test/notifiertest"
	"errand/internal/test/workflowtest"
)

func asked(in *workflowtest.Installation, agent core.AgentName) (text string) {
	for _, r := range in.Stage.Requests() {
		if strings.Contains(r.System, "I am "+string(agent)+".") && strings.Contains(r.Messages[0].Text, "/team") {
			text = core.Unmarked(r.Messages[0].Text)
		}
	}
	return text
}

// TestTeamChain proves that what one agent has answered to /team is in the context of the
// next, with no turn in between and after one, and that errand's own lines are not.
func TestTeamChain(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send("we need a login")
		in.Pass(10 * time.Second)
		in.Stage.Plays("finn", "say a magic link by mail")
		in.Command("/team @finn design it")
		in.Pass(10 * time.Second)
		const context = "<context>\nOwner: we need a login\nNikki: you said we need a login\nOwner: design it\nFinn: a magic link by mail\n"
		in.Command("/team @priest review this")
		in.Pass(10 * time.Second)
		if got := asked(in, "priest"); !strings.Contains(got, "the last 4 of 4 messages") || !strings.Contains(got, context+"</context>") {
			t.Errorf("Priest is given\n%s\nwant\n%s", got, context)
		}
		in.Send("fail")
		in.Pass(10 * time.Second)
		in.Command("/team @vera:20 review this")
		in.Pass(10 * time.Second)
		got := asked(in, "vera")
		if !strings.Contains(got, context+"Owner: review this\nPriest: ") {
			t.Errorf("Vera is given\n%s\nwant\n%s", got, context)
		}
		if strings.Contains(got, "has told the user") || strings.Contains(got, "Nikki: The ") {
			t.Errorf("Vera is given errand's own lines:\n%s", got)
		}
	})
}

// TestTeamChainAcrossChats proves that an answer in the own chat of an agent is in the context
// of the next request, in the chat that asked and in that one; that the chat which asked lists
// the task meanwhile; and that it is told the answer if the platform refuses it there.
func TestTeamChainAcrossChats(t *testing.T) {
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
		n := 0
		write := func(account, text string) (read string) {
			n++
			in.Receive(intake.Inbound{Route: core.Route{Channel: "test", Account: account, Chat: "u1"}, Sender: intake.Sender{IDs: []string{"u1"}},
				MessageID: strings.Repeat("i", n), Text: text})
			in.Pass(10 * time.Second)
			rows := in.Outbox("u1")
			return rows[len(rows)-1].Text
		}
		write("main", "we need a login")
		write("workshop", "hi Finn")
		in.Stage.Plays("finn", "after thought say a magic link by mail")
		write("main", "/team @finn design it")
		id := string(in.TaskOf("finn").ID)
		for text, want := range map[string]string{"/tasks": id, "/status": "Open tasks: 1"} {
			if got := write("main", text); !strings.Contains(got, want) {
				t.Errorf("%s where it was asked for says %q, without %s", text, got, want)
			}
		}
		if got := write("main", do(llmtest.Use("list_pending_async_agents", map[string]string{}))); !strings.Contains(got, id) {
			t.Errorf("Nikki lists %q, without %s", got, id)
		}
		requests := in.Stage.Requests()
		if got := requests[len(requests)-1].Note; !strings.Contains(got, "Open tasks:\n- "+id+": finn") {
			t.Errorf("the status note where it was asked for is\n%s\nwithout %s", got, id)
		}
		in.Stage.Open("thought")
		in.Pass(10 * time.Second)
		for _, account := range []string{"main", "workshop"} {
			write(account, "/team @priest review this")
			if got := asked(in, "priest"); !strings.Contains(got, "Ana: design it\n") || !strings.Contains(got, "Finn: a magic link by mail\n") {
				t.Errorf("asked for on %s Priest is given\n%s", account, got)
			}
		}
		in.Pass(time.Minute)
		in.Stage.Plays("finn", "after twice say a passkey")
		write("main", "/team @finn design it anew")
		in.Platform.Order(notifiertest.Refuse)
		in.Stage.Open("twice")
		in.Pass(10 * time.Second)
		rows := in.Outbox("u1")
		if last := rows[len(rows)-1]; last.Route.Account != "main" || !strings.Contains(last.Text, "a passkey") || last.State != core.Sent {
			t.Errorf("where it was asked for Ana reads %+v", last)
		}
	})
}
