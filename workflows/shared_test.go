package workflows_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"errand/activities"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/store"
	"errand/internal/temporal/wire"
	"errand/internal/test/intaketest"
	"errand/internal/test/llmtest"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

func inGroup(chat string, person core.PersonID, text string) intake.Inbound {
	return intake.Inbound{Route: core.Route{Channel: "telegram", Account: "main", Chat: chat}, Person: person, Group: true, Text: text}
}

func sharing(model activities.Model) workflowtest.Options {
	return workflowtest.Options{
		House:      func(d *intaketest.Deps) { d.Shared = func(r core.Route) bool { return r.Chat != "own" } },
		Activities: func(d *activities.Deps) { d.Model = model },
	}
}

// TestSharedGroup proves that people of a group have a session each, and one
// together where that is configured.
func TestSharedGroup(t *testing.T) {
	o := sharing(llmtest.HandingOver())
	o.Roster = specialists(t, func(m map[core.AgentName]*agents.Agent) { m["sasha"].Role = core.Partner })
	shared, table := o.House, rightsOf(t, o.Roster)
	o.House = func(d *intaketest.Deps) { shared(d); d.Rights = table }
	workflowtest.Run(t, o, func(in *workflowtest.Installation) {
		in.Person("bob", "Bob", core.Member)
		say := func(chat string, person core.PersonID, text string) core.SessionKey {
			return in.Accept(inGroup(chat, person, text)).Key
		}
		if one, two := say("own", workflowtest.Owner, "hello"), say("own", "bob", "hello"); one == two {
			t.Error("two people of a group have one session")
		}
		one := say("shared", workflowtest.Owner, "hello")
		if two := say("shared", "bob", "and hello from me"); one != two {
			t.Errorf("two people of a shared group have two sessions: %s, %s", one, two)
		}
		want := []string{"Nikki heard: Owner: hello", "Nikki heard: Bob: and hello from me"}
		if got := in.ReadIn(one); !slices.Equal(got, want) {
			t.Errorf("the agent heard %q", got)
		}
		// An agent that not everybody may talk with stays for those who may.
		if _, err := servicetest.SwitchAgent(in.T.Context(), in.House.Service, owner, one, "sasha"); err != nil {
			t.Fatal(err)
		}
		say("shared", workflowtest.Owner, "research this")
		say("shared", "bob", "and this")
		in.ReadsIn(one, append(want, "Sasha heard: ", "You can no longer talk with Sasha. Nikki takes over.", "Nikki heard: ")...)
	})
}

// TestSharedGroupsKeepApart proves that what an agent notes, sets and is shown in
// a group whose people share a session is that group's: neither another group's,
// nor what it knows of whoever asks.
func TestSharedGroupsKeepApart(t *testing.T) {
	var prompt string
	model := llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
		last := r.Messages[len(r.Messages)-1]
		prompt = r.System + r.Note
		if _, call, ok := strings.Cut(last.Text, "use "); ok && last.Speaker == core.FromPerson {
			name, args, _ := strings.Cut(call, " ")
			return llmtest.Call("c", name, args)
		}
		return llmtest.Text(last.Text)
	})
	workflowtest.Run(t, sharing(model), func(in *workflowtest.Installation) {
		if err := in.Store.Remember(in.T.Context(), workflowtest.Owner, "nikki", store.Note{Key: "my-secret", Value: "x"}); err != nil {
			t.Fatal(err)
		}
		use := func(chat, call string) string {
			t.Helper()
			m := inGroup(chat, workflowtest.Owner, "use "+call)
			m.Role = core.Member
			read := in.ReadIn(in.Accept(m).Key)
			return read[len(read)-1]
		}
		use("one", `remember {"key": "pier-at-nine", "value": "of the first group"}`)
		id := strings.Fields(use("one", `remind_me {"when": "tomorrow at 9", "text": "the first group's"}`))[1]
		for call, want := range map[string]string{
			`recall {"key": "pier-at-nine"}`: "Nothing is noted", `list_working_memory {}`: "Nothing is noted", `recall {"key": "my-secret"}`: "Nothing is noted",
			`list_reminders {}`: "No reminders", `cancel_reminder {"id": "` + id + `"}`: "not found",
		} {
			if got := use("two", call); !strings.Contains(got, want) {
				t.Errorf("the second group's %s is answered %q", call, got)
			}
		}
		if strings.Contains(prompt, "pier-at-nine") || strings.Contains(prompt, "my-secret") {
			t.Errorf("the second group's prompt shows what is not its own:\n%s", prompt)
		}
		for call, want := range map[string]string{`recall {"key": "pier-at-nine"}`: "of the first group", `list_reminders {}`: id} {
			if got := use("one", call); !strings.Contains(got, want) {
				t.Errorf("the first group's %s is answered %q", call, got)
			}
		}
		if !strings.Contains(prompt, `"pier-at-nine"`) || !strings.Contains(prompt, "This conversation belongs to a group chat") {
			t.Errorf("the first group's prompt is\n%s", prompt)
		}
	})
}

// TestStopOfOneTurn proves that a guest of a group that shares a session ends the
// turn that works for them though its model never answers, and that a stop which
// comes after its turn ends no other.
func TestStopOfOneTurn(t *testing.T) {
	var answer, never chan struct{}
	model := llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
		last := r.Messages[len(r.Messages)-1].Text
		if strings.HasSuffix(last, "wait") {
			return llmtest.Reply{Text: last, Wait: never}
		}
		return llmtest.Reply{Text: last, Wait: answer}
	})
	workflowtest.Run(t, sharing(model), func(in *workflowtest.Installation) {
		answer, never = make(chan struct{}), make(chan struct{})
		in.Person("cleo", "Cleo", core.Guest)
		key := in.Accept(inGroup("one", "cleo", "wait")).Key
		if out := in.Accept(inGroup("one", "cleo", "/stop")); out.Answer != "I stopped what you asked for." {
			t.Errorf("a guest's /stop is answered %q", out.Answer)
		}
		in.Accept(inGroup("one", workflowtest.Owner, "hello"))
		if n := len(model.Requests()); n != 2 {
			t.Errorf("%d model calls have begun, want 2", n)
		}
		late := wire.StopSignal{Session: in.Current(key), Turn: 1}
		if err := in.Signal(string(key), wire.SignalStop, late); err != nil {
			t.Fatal(err)
		}
		in.ReadsIn(key, "The turn was stopped.")
		close(answer)
		in.Settle()
		in.ReadsIn(key, "The turn was stopped.", "Owner: hello")
	})
}
