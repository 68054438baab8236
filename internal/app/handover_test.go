package app_test

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"testing"

	"errand"
	"errand/internal/agents"
	"errand/internal/app"
	"errand/internal/config"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/llm/llmtest"
	"errand/internal/rights"
	"errand/internal/service"
)

// owner is who sits at the machine.
var owner = service.Actor{Person: app.Owner, Role: errand.MasterAdmin}

// specialists is a roster of a primary agent and specialists, tuned by change.
func specialists(t *testing.T, change func(map[string]*agents.Agent)) func(*config.Config) {
	t.Helper()
	list := []agents.Agent{
		{Name: "nikki", Instructions: "You are Nikki, the first.", Delegates: []errand.AgentName{"sasha", "finn", "priest"}},
		{Name: "sasha", Instructions: "You are Sasha, the researcher.", HandoffTo: []errand.AgentName{"finn"}},
		{Name: "finn", Instructions: "You are Finn, the engineer."},
		{Name: "priest", Instructions: "You are Priest, who listens."},
	}
	byName := map[string]*agents.Agent{}
	for i := range list {
		byName[string(list[i].Name)] = &list[i]
	}
	if change != nil {
		change(byName)
	}
	roster, err := agents.New("nikki", list, agents.Rules{Tools: app.ToolNames()})
	if err != nil {
		t.Fatal(err)
	}
	return func(cfg *config.Config) {
		cfg.Roster = roster
		for name, a := range byName {
			if err := cfg.Rights.Set(rights.Agent, name, cmp.Or(a.Role, errand.Guest)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// answered holds once the last message, which says text, has its reply.
func answered(text string) func([]errand.Event) bool {
	return func(events []errand.Event) bool {
		ok := false
		for _, e := range events {
			switch e.Type {
			case errand.EventMessage:
				ok = false
			case errand.EventReply, errand.EventQuestion, errand.EventError:
				ok = true
			}
		}
		return ok
	}
}

// TestHandOverSurvives proves that a conversation stays with the specialist
// over a restart, and over the rest of the workflow's life.
func TestHandOverSurvives(t *testing.T) {
	t.Parallel()
	in := install(t, llmtest.HandingOver(), func(o *app.Options) { o.Settings = quick }, specialists(t, nil))
	key := in.say("main", "hand over to sasha")
	in.until(key, replies(2))
	in.say("main", "one")
	in.until(key, replies(3))
	in.stop()
	in.start()
	in.say("main", "two")
	events := in.until(key, replies(4))
	if got := said(events)[3]; got != "Sasha heard: two" {
		t.Errorf("after the restart the person reads %q", got)
	}
	if owner, err := in.Store.Person(t.Context(), app.Owner); err != nil || owner.LastAgent != "sasha" {
		t.Errorf("last used is %q, %v", owner.LastAgent, err)
	}
}

// TestPrimaryTakesOver proves that the primary agent takes over, and says so,
// when the specialist is gone, closed to this person, or out of time.
func TestPrimaryTakesOver(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		change func(map[string]*agents.Agent)
		tune   func(*config.Config)
		want   string
	}{
		{name: "gone", change: func(m map[string]*agents.Agent) { m["sasha"].Name = "zoe"; m["nikki"].Delegates[0] = "zoe" },
			want: "Sasha is no longer here. Nikki takes over."},
		{name: "closed", change: func(m map[string]*agents.Agent) { m["sasha"].NotSticky = true },
			want: "Sasha is not open to you any more. Nikki takes over."},
		{name: "sticky off", tune: func(c *config.Config) { c.Sessions.Sticky = false },
			want: "Sasha is not open to you any more. Nikki takes over."},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			in := install(t, llmtest.HandingOver(), func(o *app.Options) { o.Settings = quick }, specialists(t, nil))
			key := in.say("main", "hand over to sasha")
			in.until(key, replies(2))
			in.stop()
			specialists(t, test.change)(in.opts.Config)
			if test.tune != nil {
				test.tune(in.opts.Config)
			}
			in.start()
			in.say("main", "hello")
			events := in.until(key, replies(4))
			if got := said(events)[2:]; !slices.Equal(got, []string{test.want, "Nikki heard: hello"}) {
				t.Errorf("the person reads %q", got)
			}
		})
	}
}

// TestSwitchByPerson proves to whom a person may switch, and that no model is
// called for it.
func TestSwitchByPerson(t *testing.T) {
	t.Parallel()
	model := llmtest.HandingOver()
	in := install(t, model, func(o *app.Options) { o.Settings = quick }, specialists(t, func(m map[string]*agents.Agent) {
		m["priest"].Role = errand.Partner
		m["finn"].NotSticky, m["sasha"].HandoffTo = true, nil
	}))
	key := errand.NewSessionKey(errand.WebRoute("main"), app.Owner)
	guest := service.Actor{Person: app.Owner, Role: errand.Guest}
	tests := []struct {
		by    service.Actor
		agent errand.AgentName
		want  string // in the error; empty: done
	}{
		{owner, "sasha", ""},
		{owner, "", ""},
		{owner, "bob", "there is no agent bob; there are finn, nikki, priest, sasha"},
		{owner, "finn", "Finn takes no conversations"},
		{guest, "priest", "Priest is for the role partner and above; yours is guest"},
		{owner, "priest", ""},
		{guest, "", ""},
	}
	for _, test := range tests {
		got, err := in.Service.SwitchAgent(t.Context(), test.by, key, test.agent)
		switch {
		case test.want == "" && err != nil:
			t.Errorf("switch to %q: %v", test.agent, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("switch to %q: %q, %v", test.agent, got, err)
		}
	}
	if n := len(model.Requests()); n != 0 {
		t.Errorf("%d model calls", n)
	}
}

// TestRightsNarrow proves that rights only narrow down a chain: a guest's agent
// is offered no delegation, a bounded agent none of what it may not, and what
// an agent delegates has no more rights than it had itself.
func TestRightsNarrow(t *testing.T) {
	t.Parallel()
	model := llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
		var names []string
		for _, tool := range r.Tools {
			names = append(names, tool.Name)
		}
		if llmtest.Speaker(r) == "Nikki" && slices.Contains(names, "call_agent") && r.Messages[len(r.Messages)-1].Speaker == errand.FromPerson {
			return llmtest.Call("c", "call_agent", `{"agent":"sasha","task":"list your tools"}`)
		}
		last := r.Messages[len(r.Messages)-1]
		if last.Speaker == errand.FromTool {
			return llmtest.Text(last.Text)
		}
		return llmtest.Text("tools: " + strings.Join(names, " "))
	})
	in := install(t, model, func(o *app.Options) { o.Settings = quick },
		specialists(t, func(m map[string]*agents.Agent) { m["sasha"].ActsAs = errand.Guest }))
	key := in.say("main", "what can Sasha do?")
	events := in.until(key, replies(1))
	if got := said(events)[0]; strings.Contains(got, "remember") || !strings.Contains(got, "recall") {
		t.Errorf("Sasha, who acts as a guest, has %s", got)
	}
	out, err := in.Intake.Accept(t.Context(), intake.Inbound{Route: errand.WebRoute("guests"), Person: app.Owner, Role: errand.Guest, Text: "hello"})
	if err != nil {
		t.Fatal(err)
	}
	events = in.until(out.Key, replies(1))
	if got := said(events)[0]; strings.Contains(got, "call_agent") || !strings.Contains(got, "transfer_to_agent") {
		t.Errorf("for a guest Nikki has %s", got)
	}
}
