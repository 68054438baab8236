package app_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"errand"
	"errand/internal/agents"
	"errand/internal/app"
	"errand/internal/intake"
	"errand/internal/llm"
	"errand/internal/llm/llmtest"
	"errand/internal/rights"
)

// TestRightsOfTools walks role × tool: each role's agent is offered what the
// table gives it, and a call of anything else, which a model may always make,
// is refused and changes nothing.
func TestRightsOfTools(t *testing.T) {
	t.Parallel()
	table := rights.Default()
	var mu sync.Mutex
	offered := map[string][]string{}
	model := llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
		last := r.Messages[len(r.Messages)-1]
		if last.Speaker == errand.FromTool {
			return llmtest.Text(last.Text)
		}
		if tool, ok := strings.CutPrefix(last.Text, "use "); ok {
			return llmtest.Call("c", tool, `{"agent":"sasha","task":"x","key":"k","value":"v","task_id":"t-22222222","when":"tomorrow at nine","text":"x"}`)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, tool := range r.Tools {
			offered[last.Text] = append(offered[last.Text], tool.Name)
		}
		return llmtest.Text("ok")
	})
	in := install(t, model, func(o *app.Options) { o.Settings = quick },
		specialists(t, func(m map[string]*agents.Agent) { m["sasha"].Role = errand.Member }))
	for _, role := range errand.Roles() {
		person := errand.PersonID("a-" + string(role))
		if _, err := in.Store.EnsurePerson(t.Context(), person, string(role), role); err != nil {
			t.Fatal(err)
		}
		n := 0
		say := func(text string) string {
			t.Helper()
			out, err := in.Intake.Accept(t.Context(), intake.Inbound{
				Route: errand.WebRoute(string(role)), Person: person, Role: errand.MasterAdmin, Text: text})
			if err != nil {
				t.Fatal(err)
			}
			n++
			events := in.until(out.Key, replies(n))
			return said(events)[n-1]
		}
		say(string(role))
		for _, tool := range app.ToolNames() {
			may := table.May(role, rights.Tool, tool)
			if has := slices.Contains(offered[string(role)], tool); has != may {
				t.Errorf("a %s is offered %s: %v, want %v", role, tool, has, may)
			}
			if may {
				continue
			}
			if got := say("use " + tool); !strings.Contains(got, fmt.Sprintf("there is no tool %q", tool)) {
				t.Errorf("a %s who uses %s reads %q", role, tool, got)
			}
		}
	}
	if list := tasks(in); len(list) != 0 {
		t.Errorf("%d tasks were made by those who may not", len(list))
	}
}

// TestRightsOfAgents walks role × agent: an agent that is for partners is
// neither talked with nor sent on errands by anybody below.
func TestRightsOfAgents(t *testing.T) {
	t.Parallel()
	model := llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
		last := r.Messages[len(r.Messages)-1]
		tool, ok := strings.CutPrefix(last.Text, "use ")
		if ok && last.Speaker == errand.FromPerson && llmtest.Speaker(r) == "Nikki" {
			return llmtest.Call("c", tool, `{"agent":"priest","task":"x"}`)
		}
		if last.Speaker == errand.FromTool {
			return llmtest.Text(llmtest.Speaker(r) + ": " + last.Text)
		}
		return llmtest.Text(llmtest.Speaker(r) + " here")
	})
	in := install(t, model, func(o *app.Options) { o.Settings = quick },
		specialists(t, func(m map[string]*agents.Agent) { m["priest"].Role = errand.Partner }))
	for _, role := range []errand.Role{errand.Member, errand.Partner} {
		for _, tool := range []string{"call_agent", "call_agent_async", "transfer_to_agent"} {
			out, err := in.Intake.Accept(t.Context(), intake.Inbound{
				Route: errand.WebRoute(string(role) + tool), Person: app.Owner, Role: role, Text: "use " + tool})
			if err != nil {
				t.Fatal(err)
			}
			events := in.until(out.Key, answered("use "+tool))
			got := strings.Join(said(events), " | ")
			refused := strings.Contains(got, "error: ")
			if refused != (role == errand.Member) {
				t.Errorf("a %s who uses %s for Priest reads %q", role, tool, got)
			}
		}
	}
}

// TestTwoChatsAtOnce proves that two chats of one person are two conversations
// that do not wait for one another.
func TestTwoChatsAtOnce(t *testing.T) {
	t.Parallel()
	release := make(chan struct{})
	model := llmtest.Func(func(_ context.Context, r llm.Request) llmtest.Reply {
		last := r.Messages[len(r.Messages)-1].Text
		if last == "slow" {
			return llmtest.Reply{Text: "slow is done", Wait: release}
		}
		return llmtest.Text(fmt.Sprintf("%s, after %d messages", last, len(r.Messages)))
	})
	in := install(t, model, func(o *app.Options) { o.Settings = quick })
	one := in.say("one", "slow")
	two := in.say("two", "quick")
	events := in.until(two, replies(1))
	if got := said(events); got[0] != "quick, after 1 messages" {
		t.Errorf("the other chat reads %q", got)
	}
	close(release)
	if got := said(in.until(one, replies(1))); got[0] != "slow is done" {
		t.Errorf("the first chat reads %q", got)
	}
}
