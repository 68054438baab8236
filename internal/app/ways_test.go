package app_test

import (
	"context"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"errand"
	"errand/internal/agents"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/llm"
	"errand/internal/llm/llmtest"
)

// script answers as Nikki and Sasha would: Nikki delegates what begins with
// "ask Sasha" (in the background when it says so), tells results as they come,
// and otherwise echoes; Sasha reports when released.
func script(work <-chan struct{}) *llmtest.Model {
	return llmtest.Func(func(ctx context.Context, r llm.Request) llmtest.Reply {
		if strings.Contains(r.System, "You are working on task") {
			if work != nil {
				select {
				case <-work:
				case <-ctx.Done():
					return llmtest.Fail(ctx.Err())
				}
			}
			return llmtest.Text("two trains go to Oslo")
		}
		last := r.Messages[len(r.Messages)-1]
		switch {
		case last.Speaker == errand.FromTool && strings.Contains(last.Text, "<report>"):
			return llmtest.Text("Sasha says: two trains")
		case last.Speaker == errand.FromTool && strings.Contains(last.Text, ": failed]"):
			return llmtest.Text("Sasha failed")
		case last.Speaker == errand.FromTool:
			return llmtest.Text("Sasha is at it")
		case strings.HasPrefix(last.Text, "ask Sasha in the background"):
			return llmtest.Call("c1", "call_agent_async", `{"agent":"sasha","task":"night trains to Oslo"}`)
		case strings.HasPrefix(last.Text, "ask Sasha"):
			return llmtest.Call("c1", "call_agent", `{"agent":"sasha","task":"night trains to Oslo"}`)
		}
		return llmtest.Text("you said " + last.Text)
	})
}

func TestPlainTurn(t *testing.T) {
	t.Parallel()
	in := install(t, script(nil), nil)
	key := in.say("main", "hello")
	events := in.until(key, replies(1))
	if got := said(events); got[0] != "you said hello" {
		t.Errorf("the person reads %q", got)
	}
}

// TestWaysOfAResult proves that a result reaches the person in each of the four
// ways, once, and that the way is recorded.
func TestWaysOfAResult(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		run  func(in *installation, work chan struct{}) errand.SessionKey
		want []string // what the person reads, in order
		way  errand.Way
	}{
		{
			name: "turn: the caller waits",
			run: func(in *installation, work chan struct{}) errand.SessionKey {
				key := in.say("main", "ask Sasha about trains")
				close(work)
				return key
			},
			want: []string{"Sasha says: two trains"}, way: errand.WayTurn,
		},
		{
			name: "fold: the session goes on meanwhile",
			run: func(in *installation, work chan struct{}) errand.SessionKey {
				key := in.say("main", "ask Sasha in the background about trains")
				in.until(key, replies(1))
				in.say("main", "hello")
				in.until(key, replies(2))
				close(work)
				return key
			},
			want: []string{"Sasha is at it", "you said hello", "Sasha says: two trains"}, way: errand.WayFold,
		},
		{
			name: "notification: the session was reset",
			run: func(in *installation, work chan struct{}) errand.SessionKey {
				key := in.say("main", "ask Sasha in the background about trains")
				in.until(key, replies(1))
				if _, err := in.Service.NewSession(in.t.Context(), in.owner(), key, "", errand.ShortID(8)); err != nil {
					in.t.Fatal(err)
				}
				close(work)
				return key
			},
			want: []string{"Sasha is at it", "Sasha here: "}, way: errand.WayNotification,
		},
		{
			name: "patience: the person writes while the turn waits",
			run: func(in *installation, work chan struct{}) errand.SessionKey {
				key := in.say("main", "ask Sasha about trains")
				in.until(key, func(e []errand.Event) bool { return len(tasks(in)) == 1 })
				in.say("main", "hello")
				in.until(key, replies(2))
				close(work)
				return key
			},
			want: []string{"Sasha is at it", "you said hello", "Sasha says: two trains"}, way: errand.WayFold,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			work := make(chan struct{})
			in := install(t, script(work), func(o *app.Options) { o.Settings = quick })
			key := test.run(in, work)
			got := said(in.until(key, replies(len(test.want))))
			if len(got) != len(test.want) {
				t.Fatalf("the person reads %q, want %q", got, test.want)
			}
			for i := range got {
				if !strings.HasPrefix(got[i], test.want[i]) {
					t.Errorf("the person reads %q, want %q", got[i], test.want[i])
				}
			}
			list := tasks(in)
			if len(list) != 1 || list[0].Way != test.way || list[0].State != errand.Completed {
				t.Errorf("tasks are %s, want one completed by way %q", fmt.Sprint(list), test.way)
			}
		})
	}
}

// TestNotificationInSpanish proves that whoever speaks Spanish reads Spanish when what
// an earlier session asked for ends: in the agent's own words where the roster has
// them, with the id of the task, and whatever became of it.
func TestNotificationInSpanish(t *testing.T) {
	t.Parallel()
	in, s := play(t, nil, func(cfg *config.Config) {
		agent := func(name errand.AgentName, line string, delegates ...errand.AgentName) agents.Agent {
			return agents.Agent{Name: name, Instructions: "I am " + string(name) + ".", Delegates: delegates, Notification: map[string]string{"es": line}}
		}
		roster, err := agents.New("nikki", []agents.Agent{
			{Name: "nikki", Instructions: "I am nikki.", Delegates: []errand.AgentName{"sasha", "finn", "priest"}},
			agent("sasha", "Vuelvo de la biblioteca: {title} ({id})."), agent("finn", "Desde el taller: {title} ({id})."),
			{Name: "priest", Instructions: "I am priest."},
		}, agents.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		cfg.Roster, cfg.TimeZone = roster, "Europe/Oslo"
	})
	ana := in.person("ana", "es")
	ana.writes(do(send("sasha", "wait one"), send("finn", "after two loop"), send("priest", "wait three")), "")
	in.until(ana.key, replies(1))
	ids := map[errand.AgentName]errand.TaskID{}
	for _, task := range in.awaitTasks(3) {
		ids[task.Agents[0]] = task.ID
	}
	s.begun(t, "finn", 1)
	if _, err := in.Service.NewSession(t.Context(), in.owner(), ana.key, "", errand.ShortID(8)); err != nil {
		t.Fatal(err)
	}
	s.open("one")
	for _, want := range []struct{ agent, text string }{
		{"sasha", "Vuelvo de la biblioteca: wait one (%s). Está hecho.\n\ndone one"},
		{"finn", "Desde el taller: after two loop (%s). No se pudo terminar: "},
		{"priest", "Aquí Priest: novedades de tu encargo (%s, «wait three», 20"},
	} {
		id := ids[errand.AgentName(want.agent)]
		switch want.agent {
		case "finn":
			s.failing("finn", &llm.Error{Kind: llm.Refused, Status: 401, Message: "the key was not accepted"})
			s.open("two")
		case "priest":
			s.open("three")
		}
		got := said(in.until(ana.key, heard(fmt.Sprintf(want.text, id))))[1:]
		if n := strings.Count(strings.Join(got, "\n"), string(id)); n != 1 {
			t.Errorf("%s is told %d times: %q", id, n, got)
		}
		if task := in.ended(id); task.Way != errand.WayNotification {
			t.Errorf("%s went by %q", want.agent, task.Way)
		}
	}
	if got := strings.Join(said(in.until(ana.key, heard("done three"))), "\n"); !regexp.MustCompile(`\d\d:\d\d CES?T\)\. Está hecho\.\n\ndone three`).MatchString(got) {
		t.Errorf("the time is not the installation's: %q", got)
	}
}
