package workflows_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"errand/activities"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/rights"
	"errand/internal/test/intaketest"
	"errand/internal/test/llmtest"
	"errand/internal/test/servicetest"
	"errand/internal/test/workflowtest"
)

func specialists(t *testing.T, change func(map[core.AgentName]*agents.Agent)) *agents.Roster {
	t.Helper()
	list := []agents.Agent{
		{Name: "nikki", Instructions: "You are Nikki, the first.", Delegates: []core.AgentName{"sasha", "finn", "priest"}},
		{Name: "sasha", Instructions: "You are Sasha, the researcher.", HandoffTo: []core.AgentName{"finn"}},
		{Name: "finn", Instructions: "You are Finn, the engineer."},
		{Name: "priest", Instructions: "You are Priest, who listens."},
	}
	byName := map[core.AgentName]*agents.Agent{}
	for i := range list {
		byName[list[i].Name] = &list[i]
	}
	if change != nil {
		change(byName)
	}
	roster, err := agents.New("nikki", list, agents.Rules{})
	if err != nil {
		t.Fatal(err)
	}
	return roster
}

func rightsOf(t *testing.T, roster *agents.Roster) *rights.Table {
	t.Helper()
	table := rights.New()
	for _, name := range roster.Names() {
		agent, _ := roster.Agent(name)
		if err := table.Set(rights.Agent, string(name), cmp.Or(agent.Role, core.Guest)); err != nil {
			t.Fatal(err)
		}
	}
	return table
}

func played(t *testing.T, roster *agents.Roster, model activities.Model) workflowtest.Options {
	t.Helper()
	table := rightsOf(t, roster)
	return workflowtest.Options{
		Roster:     roster,
		House:      func(d *intaketest.Deps) { d.Rights = table },
		Activities: func(d *activities.Deps) { d.Model = model },
	}
}

// TestRightsOfTools walks role × tool: each role's agent is offered what the
// table gives it, and a call of anything else, which a model may always make,
// is refused and changes nothing.
func TestRightsOfTools(t *testing.T) {
	roster := specialists(t, func(m map[core.AgentName]*agents.Agent) { m["sasha"].Role = core.Member })
	table := rightsOf(t, roster)
	for _, role := range core.Roles() {
		t.Run(string(role), func(t *testing.T) {
			var offered []string
			model := llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
				last := r.Messages[len(r.Messages)-1]
				if last.Speaker == core.FromTool {
					return llmtest.Text(last.Text)
				}
				if tool, ok := strings.CutPrefix(last.Text, "use "); ok {
					return llmtest.Call("c", tool, `{"agent":"sasha","task":"x","key":"k","value":"v","task_id":"t-22222222","when":"tomorrow at 9","text":"x"}`)
				}
				for _, tool := range r.Tools {
					offered = append(offered, tool.Name)
				}
				return llmtest.Text("ok")
			})
			workflowtest.Run(t, played(t, roster, model), func(in *workflowtest.Installation) {
				person := core.PersonID("a-" + string(role))
				in.Person(person, string(role), role)
				say := func(text string) string {
					t.Helper()
					key := in.Accept(intake.Inbound{Route: core.WebRoute("main"), Person: person, Role: core.MasterAdmin, Text: text}).Key
					read := in.ReadIn(key)
					return read[len(read)-1]
				}
				say("what is on offer?")
				names := in.Tools.Names()
				if len(names) < 13 {
					t.Errorf("there are only the tools %q", names)
				}
				for _, tool := range names {
					if tool == "submit_verdict" { // of sub-agents that decide something
						continue
					}
					may := table.May(role, rights.Tool, tool)
					if has := slices.Contains(offered, tool); has != may && tool != "consult" { // which the primary agent is not offered
						t.Errorf("a %s is offered %s: %v, want %v", role, tool, has, may)
					}
					if may {
						continue
					}
					if got := say("use " + tool); !strings.Contains(got, fmt.Sprintf("there is no tool %q", tool)) {
						t.Errorf("a %s who uses %s reads %q", role, tool, got)
					}
				}
				if list := in.Tasks(); len(list) != 0 {
					t.Errorf("%d tasks were made by those who may not", len(list))
				}
			})
		})
	}
}

// TestRightsOfAgents walks role × agent: an agent that is for partners is
// neither talked with nor sent on errands by anybody below.
func TestRightsOfAgents(t *testing.T) {
	model := llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
		last := r.Messages[len(r.Messages)-1]
		tool, ok := strings.CutPrefix(last.Text, "use ")
		if ok && last.Speaker == core.FromPerson && llmtest.Speaker(r) == "Nikki" {
			return llmtest.Call("c", tool, `{"agent":"priest","task":"x"}`)
		}
		if last.Speaker == core.FromTool {
			return llmtest.Text(llmtest.Speaker(r) + ": " + last.Text)
		}
		return llmtest.Text(llmtest.Speaker(r) + " here")
	})
	roster := specialists(t, func(m map[core.AgentName]*agents.Agent) { m["priest"].Role = core.Partner })
	workflowtest.Run(t, played(t, roster, model), func(in *workflowtest.Installation) {
		for _, role := range []core.Role{core.Member, core.Partner} {
			for _, tool := range []string{"call_agent", "call_agent_async", "transfer_to_agent"} {
				key := in.Accept(intake.Inbound{
					Route: core.WebRoute(string(role) + tool), Person: workflowtest.Owner, Role: role, Text: "use " + tool}).Key
				got := strings.Join(in.ReadIn(key), " | ")
				refused := strings.Contains(got, "error: ")
				if got == "" || refused != (role == core.Member) {
					t.Errorf("a %s who uses %s for Priest reads %q", role, tool, got)
				}
			}
		}
	})
}

// TestRightsNarrow proves that rights only narrow down a chain: a guest's agent
// is offered no delegation, a bounded agent none of what it may not, and what
// an agent delegates has no more rights than it had itself.
func TestRightsNarrow(t *testing.T) {
	model := llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
		var names []string
		for _, tool := range r.Tools {
			names = append(names, tool.Name)
		}
		last := r.Messages[len(r.Messages)-1]
		if llmtest.Speaker(r) == "Nikki" && slices.Contains(names, "call_agent") && last.Speaker == core.FromPerson {
			return llmtest.Call("c", "call_agent", `{"agent":"sasha","task":"list your tools"}`)
		}
		if last.Speaker == core.FromTool {
			return llmtest.Text(last.Text)
		}
		return llmtest.Text("tools: " + strings.Join(names, " "))
	})
	roster := specialists(t, func(m map[core.AgentName]*agents.Agent) { m["sasha"].ActsAs = core.Guest })
	workflowtest.Run(t, played(t, roster, model), func(in *workflowtest.Installation) {
		in.Send("what can Sasha do?")
		if got := in.Read()[0]; strings.Contains(got, "remember") || !strings.Contains(got, "recall") {
			t.Errorf("Sasha, who acts as a guest, has %s", got)
		}
		in.Write(workflowtest.Message{Route: core.WebRoute("guests"), Role: core.Guest, Text: "hello"})
		if got := in.ReadIn(workflowtest.Key("guests"))[0]; strings.Contains(got, "call_agent") || !strings.Contains(got, "transfer_to_agent") {
			t.Errorf("for a guest Nikki has %s", got)
		}
	})
}

// TestSwitchByPerson proves to whom a person may switch, and that no model is
// called for it.
func TestSwitchByPerson(t *testing.T) {
	roster := specialists(t, func(m map[core.AgentName]*agents.Agent) {
		m["priest"].Role = core.Partner
		m["finn"].NotSticky, m["sasha"].HandoffTo = true, nil
	})
	model := llmtest.HandingOver()
	guest := actor.Actor{Person: workflowtest.Owner, Role: core.Guest}
	tests := []struct {
		by    actor.Actor
		agent core.AgentName
		want  string // in the error; empty: done
	}{
		{owner, "sasha", ""},
		{owner, "", ""},
		{owner, "bob", "there is no agent bob; there are finn, nikki, priest, sasha"},
		{owner, "finn", "Finn holds no conversations"},
		{guest, "priest", "there is no agent priest; there are finn, nikki, sasha"},
		{owner, "priest", ""},
		{guest, "", ""},
	}
	workflowtest.Run(t, played(t, roster, model), func(in *workflowtest.Installation) {
		for _, test := range tests {
			got, err := servicetest.SwitchAgent(in.T.Context(), in.House.Service, test.by, workflowtest.Key("main"), test.agent)
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
	})
}

// TestTwoChatsAtOnce proves that two chats of one person are two conversations
// that do not wait for one another.
func TestTwoChatsAtOnce(t *testing.T) {
	workflowtest.Run(t, workflowtest.Options{}, func(in *workflowtest.Installation) {
		in.SendTo("one", "wait release")
		in.SendTo("two", "quick")
		in.ReadsIn(workflowtest.Key("two"), "you said quick")
		in.ReadsIn(workflowtest.Key("one"))
		requests := in.Stage.Requests()
		if last := requests[len(requests)-1]; len(last.Messages) != 1 {
			t.Errorf("the other chat's model was given %+v", last.Messages)
		}
		in.Stage.Open("release")
		in.Settle()
		in.ReadsIn(workflowtest.Key("one"), "done release")
	})
}
