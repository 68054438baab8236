package workflows_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/test/llmtest"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

// TestNotifications proves that a result which was told without the primary
// agent is in the index of its memory until it has read it.
func TestNotifications(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send(do(send("sasha", "wait 1h")))
		in.Reset()
		in.Pass(2 * time.Hour)
		in.Reads(atWork, "Sasha here: ")
		index := store.NotificationsPrefix + string(in.TaskOf("sasha").ID)
		last := func() llm.Request {
			requests := in.Stage.Requests()
			return requests[len(requests)-1]
		}
		in.SendTo("other", "hello")
		if !strings.Contains(last().Note, index) {
			t.Errorf("the prompt does not show %s:\n%s", index, last().Note)
		}
		in.SendTo("other", do(llmtest.Use("recall", map[string]string{"key": index})))
		in.ReadsIn(workflowtest.Key("other"), "you said hello", "done 1h")
		in.SendTo("other", "hello again")
		if strings.Contains(last().Note, store.NotificationsPrefix) {
			t.Error("it is shown as unread after it has been read")
		}
		// The next session of that chat has what was told there in its transcript.
		in.Send("hello")
		id := string(in.TaskOf("sasha").ID)
		if !slices.ContainsFunc(last().Messages, func(m core.Message) bool { return strings.Contains(m.Text, id) }) {
			t.Errorf("what was told of %s is not in front of the agent: %+v", id, last().Messages)
		}
		if strings.Contains(last().Note, store.NotificationsPrefix) {
			t.Errorf("it is shown as unread where it was told:\n%s", last().Note)
		}
	})
}

// TestNotificationInSpanish proves that whoever speaks Spanish reads Spanish when what
// an earlier session asked for ends: in the agent's own words where the roster has
// them, with the id of the task, the time of the installation, and whatever became of
// it.
func TestNotificationInSpanish(t *testing.T) {
	agent := func(name core.AgentName, line string) agents.Agent {
		return agents.Agent{Name: name, Instructions: "I am " + string(name) + ".", Notification: map[string]string{"es": line}}
	}
	roster, err := agents.New("nikki", []agents.Agent{
		{Name: "nikki", Instructions: "I am nikki.", Delegates: []core.AgentName{"sasha", "finn", "priest"}},
		agent("sasha", "Vuelvo de la biblioteca: {title} ({id})."), agent("finn", "Desde el taller: {title} ({id})."),
		{Name: "priest", Instructions: "I am priest."},
	}, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	oslo, err := time.LoadLocation("Europe/Oslo")
	if err != nil {
		t.Fatal(err)
	}
	o := workflowtest.Options{Roster: roster, Zone: oslo}
	workflowtest.Run(t, o, func(in *workflowtest.Installation) {
		ana := newMember(in, "ana", "es")
		ana.writes(do(send("sasha", "wait 1h"), send("finn", "after 2h loop"), send("priest", "wait 3h")), "")
		if _, err := servicetest.Reset(in.T.Context(), in.House.Service, owner, ana.key, "", core.ShortID(8)); err != nil {
			t.Fatal(err)
		}
		in.Pass(90 * time.Minute)
		in.Stage.Failing("finn", &llm.Error{Kind: llm.Refused, Status: 401, Message: "the key was not accepted"})
		in.Pass(2 * time.Hour)
		id := func(agent core.AgentName) core.TaskID { return in.TaskOf(agent).ID }
		in.ReadsIn(ana.key, "",
			fmt.Sprintf("Vuelvo de la biblioteca: wait 1h (%s). Aquí está el resultado:\n\ndone 1h", id("sasha")),
			fmt.Sprintf("Desde el taller: after 2h loop (%s). Ha fallado: ", id("finn")),
			fmt.Sprintf("Aquí Priest: el sáb 1 ene, 01:00 pediste «wait 3h» (%s). Aquí está", id("priest")))
		for _, task := range in.Tasks() {
			if task.Way != core.WayNotification {
				t.Errorf("%s went by %q", task.AgentList(), task.Way)
			}
		}
		if last := in.ReadIn(ana.key)[3]; !strings.Contains(last, "done 3h") {
			t.Errorf("the time is not the installation's: %q", last)
		}
	})
}
