package workflows_test

import (
	"strings"
	"testing"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/service"
	"errand/internal/test/intaketest"
	"errand/internal/test/workflowtest"
)

// TestTeamProcedure proves that /team and the name of a procedure ask its agents, with the
// words behind it, that what comes of it and what follows are told where it was asked for,
// and that the same message asks once.
func TestTeamProcedure(t *testing.T) {
	release := core.Procedure{Name: "release", Agents: []core.AgentName{"sasha", "priest"}, Task: "Good? {text}", Policy: core.All,
		Then: &core.Branch{Agents: []core.AgentName{"finn"}, Task: "release {text}"}}
	house := func(d *intaketest.Deps) { d.Procedures, d.Team.Messages = []core.Procedure{release}, 1 }
	workflowtest.Run(t, workflowtest.Options{House: house}, func(in *workflowtest.Installation) {
		in.Stage.Plays("sasha", says("YES", "cheap"))
		in.Stage.Plays("priest", says("YES", "right"))
		in.Send("hello")
		in.Send("well")
		ask := workflowtest.Message{Route: core.WebRoute("main"), ID: "m7", Text: "It is ready. /team Release: version 1.4"}
		answer := in.Write(ask)
		if again := in.Write(ask); again != answer {
			t.Errorf("the same message is answered with %q and %q", answer, again)
		}
		in.Pass(time.Minute)
		asked, then := in.TaskOf("sasha"), in.TaskOf("finn")
		if len(in.Tasks()) != 2 || asked.Text != "Good? version 1.4" || then.Text != "release version 1.4" || asked.FollowedBy != then.ID || len(asked.Briefing.Messages) != 1 {
			t.Fatalf("of %d tasks, %+v and %+v", len(in.Tasks()), asked, then)
		}
		id := string(asked.ID)
		if want := "“release” is running (" + id + "): I have asked Sasha, Priest, with the last message. The result will come here."; answer != want {
			t.Errorf("the person reads %q, want %q", answer, want)
		}
		in.Reads("you said hello", "you said well", "Decision: YES", "Finn on “release version 1.4”")

		request := api.AskProcedureInput{Name: "release", TeamRequest: api.TeamRequest{Route: core.WebRoute("main"), MessageID: "m7", Text: "version 1.4",
			ConversationKey: api.ConversationKey{Key: core.NewSessionKey(core.WebRoute("main"), workflowtest.Owner)}}}
		by := actor.Actor{Person: workflowtest.Owner, Role: core.MasterAdmin}
		if again, err := ops.Do(in.T.Context(), in.House.Runner, api.AskProcedure, by, request); err != nil || again.ID != asked.ID { // its worker died before it answered
			t.Errorf("asked again it is %s, %v", again.ID, err)
		}

		for text, want := range map[string]string{
			"/team relase 1.4":  "Did you mean /team release?",
			"/team carol thing": "You can ask @finn, @nikki, @priest, @sasha, @vera, or run a procedure: release.",
			"/team release":     "The procedure release needs words, but you gave none",
		} {
			if got := in.Command(text); !strings.Contains(got, want) {
				t.Errorf("%s: the person reads %q, want %q in it", text, got, want)
			}
		}
		if n := len(in.Tasks()); n != 2 {
			t.Errorf("there are %d tasks", n)
		}
	})
}

// TestTeamLimits proves what the configuration says of /team: how many messages go along,
// and that it is for admins only, whatever else a person may delegate.
func TestTeamLimits(t *testing.T) {
	house := func(d *intaketest.Deps) {
		d.Team = service.TeamLimits{Messages: 2, AdminsOnly: true}
		d.Procedures = []core.Procedure{{Name: "look", Agents: []core.AgentName{"sasha"}, Task: "look"}}
	}
	workflowtest.Run(t, workflowtest.Options{House: house}, func(in *workflowtest.Installation) {
		in.Person("ana", "Ana", core.Partner)
		for _, text := range []string{"/team @finn this", "/team @fin this", "/team", "/team look"} {
			if got := in.Write(workflowtest.Message{Route: core.WebRoute("ana"), Person: "ana", Role: core.Partner, Text: text}); got != "/team needs the role Admin here." {
				t.Errorf("%s: Ana reads %q", text, got)
			}
		}
		help := in.Write(workflowtest.Message{Route: core.WebRoute("ana"), Person: "ana", Role: core.Partner, Text: "/help"})
		if strings.Contains(help, "/team") || !strings.Contains(help, "/tasks") || !strings.Contains(in.Command("/help"), "/team") {
			t.Errorf("Ana is offered %q", help)
		}
		in.Send("one")
		in.Send("two")
		if got := in.Command("/team @finn this"); !strings.Contains(got, "with the last 2 messages") {
			t.Errorf("the person reads %q", got)
		}
		if got := in.Command("/team @finn:0 this"); !strings.Contains(got, "the last 2 go along") {
			t.Errorf("the person reads %q", got)
		}
	})
}
