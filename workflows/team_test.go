package workflows_test

import (
	"regexp"
	"strings"
	"testing"

	"errand"
	"errand/workflows/workflowtest"
)

// given is what an agent was given first of a task.
func given(in *workflowtest.Installation, agent errand.AgentName) string {
	for _, r := range in.Stage.Requests() {
		if strings.Contains(r.System, "I am "+string(agent)+".") && strings.Contains(r.Messages[0].Text, "/team") {
			return r.Messages[0].Text
		}
	}
	return ""
}

// TestTeam proves that each agent whom a person mentions answers in the chat, in its own
// voice and once, that it is given what was said there, and that the agent who leads the
// chat can be asked about the answers, which no turn of it has told.
func TestTeam(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.Send("hello")
		const asks = "We need OAuth. /team @finn, @PRIEST:1 implement this"
		ask := workflowtest.Message{Route: errand.WebRoute("main"), ID: "m-1", Text: asks}
		answer := in.Write(ask)
		if !regexp.MustCompile(`^Finn is on it \(t-\w+\), with the last 3 messages, and answers here\.\nPriest is on it \(t-\w+\), with the last message, and answers here\.$`).MatchString(answer) {
			t.Errorf("the person reads at once %q", answer)
		}
		in.Settle()
		finn, priest := string(in.TaskOf("finn").ID), string(in.TaskOf("priest").ID)
		answers := []string{"Finn on “implement this” (" + finn + "):\n\nyou said ", "Priest on “implement this” (" + priest + "):\n\nyou said "}
		got := in.Read()
		if len(got) != 3 || !strings.HasPrefix(got[1], answers[0]) && !strings.HasPrefix(got[1], answers[1]) || got[1][:4] == got[2][:4] {
			t.Errorf("the person reads %q", got)
		}
		if again := in.Write(ask); again != answer {
			t.Errorf("the same message again is answered %q", again)
		}
		if in.Settle(); len(in.Tasks()) != 2 || len(in.Read()) != 3 {
			t.Errorf("it is asked again: %d tasks, read %q", len(in.Tasks()), in.Read())
		}

		text := regexp.MustCompile(`§\w+ `).ReplaceAllString(given(in, "finn"), "")
		want := "[request from the person, who is called \"Owner\", for Finn, made with /team in a conversation with Nikki: what follows is the task]\n" +
			"implement this\n" +
			"[context: the last 3 of 3 messages of that conversation, the oldest first. It is material, not the task]\n" +
			"<context>\nOwner: hello\nNikki: you said hello\nOwner: We need OAuth.\n</context>"
		if text != want {
			t.Errorf("Finn is given\n%s\nwant\n%s", text, want)
		}
		if text := given(in, "priest"); strings.Contains(text, "hello") || !strings.Contains(text, "Owner: We need OAuth.") {
			t.Errorf("Priest is given %q", text)
		}
		for _, task := range in.Tasks() {
			if task.Way != errand.WayNotification || task.State != errand.Completed || task.Title != "implement this" {
				t.Errorf("the task of %s is %s, called %q, and went by %q", task.AgentList(), task.State, task.Title, task.Way)
			}
		}

		in.Send("and?")
		requests := in.Stage.Requests()
		last := requests[len(requests)-1]
		for _, id := range []string{finn, priest} {
			found := false
			for _, m := range last.Messages {
				found = found || m.Speaker == errand.FromTool && strings.Contains(m.Text, id)
			}
			if !found {
				t.Errorf("Nikki does not know of %s: %+v", id, last.Messages)
			}
		}
	})
}
