package agents_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/agents"
	"errand/internal/core"
)

var tools = []string{
	"call_agent", "call_agent_async", "consult", "transfer_to_agent", "list_pending_async_agents", "get_task", "kill_async_agent", "steer_task",
	"remember", "recall", "list_working_memory", "remind_me", "list_reminders", "cancel_reminder", "read_artifact", "web_search", "web_fetch",
	"edit_file", "find_in_files", "list_files", "read_file", "send_file", "undo_file", "write_file",
	"plan", "read_skill", "copy_skill", "run_code", "ask_team", "ask_user", "answer_task", "submit_verdict",
}

func TestDefaultRosterIsValid(t *testing.T) {
	primary, list := agents.Default()
	r, err := agents.New(primary, list, agents.Rules{Models: []string{"default"}, Tools: tools})
	require.NoError(t, err)
	require.Equal(t, core.AgentName("nikki"), r.Primary().Name)
	require.Equal(t, []core.AgentName{"finn", "nikki", "priest", "sasha"}, r.Names())
	require.Equal(t, []core.AgentName{"sasha", "finn", "priest"}, names(r.Delegates("nikki")))
	require.Equal(t, []core.AgentName{"finn"}, names(r.Delegates("sasha")), "nested delegation can be shown")
	require.Empty(t, r.Delegates("finn"))
	require.Empty(t, r.Delegates("nobody"))
	for _, name := range r.Names() {
		a, ok := r.Agent(name)
		require.True(t, ok)
		require.NotEmpty(t, a.Voice)
		require.Greater(t, len(a.Instructions), 500)
		require.NotContains(t, a.Description, "\n")
	}
}

// The default instructions may name only tools that exist.
func TestDefaultInstructionsNameRealTools(t *testing.T) {
	_, list := agents.Default()
	for _, a := range list {
		for i, part := range strings.Split(a.Instructions, "`") {
			if i%2 == 1 {
				require.Contains(t, tools, part, "instructions of %s", a.Name)
			}
		}
	}
}

func TestDefaultsAreFilledIn(t *testing.T) {
	list := []agents.Agent{{
		Name:         "nikki",
		Instructions: "# Nikki\n\nYou are Nikki, who books\ntrains, e.g. to Oslo. You are kind.\n\nMore.\n",
	}}
	r, err := agents.New("nikki", list, agents.Rules{})
	require.NoError(t, err)
	a := r.Primary()
	require.Equal(t, "You are Nikki, who books trains, e.g. to Oslo.", a.Description)
	require.Equal(t, "default", a.Model)
	require.Equal(t, 20, a.MaxSteps)
	require.Nil(t, a.Tools)
	require.True(t, a.MayUse("recall"), "no list of tools means all of them")
	require.False(t, a.MayDelegate("sasha"))
}

func TestNoToolsIsNotAllTools(t *testing.T) {
	r, err := agents.New("nikki", []agents.Agent{{Name: "nikki", Instructions: "x", Tools: []string{}}}, agents.Rules{Tools: tools})
	require.NoError(t, err)
	require.NotNil(t, r.Primary().Tools)
	require.False(t, r.Primary().MayUse("recall"))
}

func TestRosterSharesNothingWithItsSource(t *testing.T) {
	primary, list := agents.Default()
	r, err := agents.New(primary, list, agents.Rules{})
	require.NoError(t, err)
	list[0].Delegates[0] = "changed"
	require.True(t, r.Primary().MayDelegate("sasha"))
}

func TestRefusedRosters(t *testing.T) {
	agent := func(name string, delegates ...core.AgentName) agents.Agent {
		return agents.Agent{Name: core.AgentName(name), Instructions: "x", Delegates: delegates}
	}
	with := func(change func(*agents.Agent)) []agents.Agent {
		a := agent("nikki")
		change(&a)
		return []agents.Agent{a}
	}
	tests := []struct {
		name string
		list []agents.Agent
		want string
	}{
		{"nobody", nil, "there are no agents"},
		{"unknown primary", []agents.Agent{agent("sasha")}, `primary: unknown agent "nikki"`},
		{"twice", []agents.Agent{agent("nikki"), agent("nikki")}, `agent "nikki": is defined twice`},
		{"itself", []agents.Agent{agent("nikki", "nikki")}, `agent "nikki": delegates to itself`},
		{"unknown delegate", []agents.Agent{agent("nikki", "sasha")}, `agent "nikki": unknown delegate "sasha"`},
		{"delegate twice", []agents.Agent{agent("nikki", "finn", "finn"), agent("finn")}, `agent "nikki": delegate "finn" is listed twice`},
		{"a pair that only reaches itself", []agents.Agent{agent("nikki"), agent("a", "b"), agent("b", "a")},
			`agent "a": no agent can reach it: add it to delegates or handoff_to of "nikki", the primary agent, or of an agent that "nikki" can reach` + "\n" +
				`agent "b": no agent can reach it: add it to delegates or handoff_to of "nikki", the primary agent, or of an agent that "nikki" can reach`},
		{"no instructions", with(func(a *agents.Agent) { a.Instructions = " \n" }), `agent "nikki": instructions are missing: set instructions or instructions_file`},
		{"model", with(func(a *agents.Agent) { a.Model = "gpt-x" }), `agent "nikki": unknown model "gpt-x"`},
		{"kind", with(func(a *agents.Agent) { a.Kind = "telepath" }), `agent "nikki": unknown kind "telepath"`},
		{"remote primary", []agents.Agent{{Name: "nikki", Kind: core.RemoteAgent, Description: "Knows.", NotSticky: true}}, `agent "nikki": is a remote agent: a session cannot begin with it`},
		{"tool", with(func(a *agents.Agent) { a.Tools = []string{"fly"} }), `agent "nikki": unknown tool "fly"`},
		{"tool twice", with(func(a *agents.Agent) { a.Tools = []string{"recall", "recall"} }), `agent "nikki": tool "recall" is listed twice`},
		{"negative steps", with(func(a *agents.Agent) { a.MaxSteps = -1 }), `agent "nikki": max_steps: -1 is not between 1 and 1000`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := agents.New("nikki", tt.list, agents.Rules{Models: []string{"default"}, Tools: tools})
			require.Nil(t, r)
			require.EqualError(t, err, tt.want)
			require.True(t, errors.As(err, new(agents.Problems)))
		})
	}
	for _, name := range []string{"Nikki", "", "9a", "a b", "a/b", "ä", "a\n", strings.Repeat("a", 32)} {
		_, err := agents.New(core.AgentName(name), []agents.Agent{agent(name)}, agents.Rules{})
		require.ErrorContains(t, err, "the name must begin with a small letter", "%q", name)
	}
}

// Agents may delegate in a circle: the chain of a task is what ends it.
func TestCirclesAreAllowed(t *testing.T) {
	_, err := agents.New("a", []agents.Agent{
		{Name: "a", Instructions: "x", Delegates: []core.AgentName{"b"}},
		{Name: "b", Instructions: "x", Delegates: []core.AgentName{"a"}},
	}, agents.Rules{})
	require.NoError(t, err)
}

func names(list []*agents.Agent) []core.AgentName {
	var ns []core.AgentName
	for _, a := range list {
		ns = append(ns, a.Name)
	}
	return ns
}

// TestHandoffTo proves to whom a conversation may be handed over.
func TestHandoffTo(t *testing.T) {
	list := []agents.Agent{
		{Name: "nikki", Instructions: "x", Delegates: []core.AgentName{"sasha", "finn", "scribe"}},
		{Name: "sasha", Instructions: "x", HandoffTo: []core.AgentName{"finn"}},
		{Name: "finn", Instructions: "x", HandoffTo: []core.AgentName{}},
		{Name: "scribe", Instructions: "x", NotSticky: true},
	}
	for _, want := range []struct{ from, to string }{
		{"nikki", "sasha finn"},
		{"sasha", "finn nikki"},
		{"finn", "nikki"},
		{"scribe", "sasha finn nikki"},
		{"nobody", ""},
	} {
		r, err := agents.New("nikki", list, agents.Rules{})
		require.NoError(t, err)
		var got []string
		for _, a := range r.HandoffTo(core.AgentName(want.from)) {
			got = append(got, string(a.Name))
		}
		require.Equal(t, want.to, strings.Join(got, " "), want.from)
	}
}

// TestToolPatterns proves which tools an agent may use by pattern, and that one without
// a list has none of an MCP server's.
func TestToolPatterns(t *testing.T) {
	r, err := agents.New("a", []agents.Agent{
		{Name: "a", Instructions: "x", Delegates: []core.AgentName{"b"}, Tools: []string{"re*", "github.*"}},
		{Name: "b", Instructions: "x"},
	}, agents.Rules{Tools: tools})
	require.NoError(t, err)
	a, b := r.Primary(), r.Delegates("a")[0]
	for name, want := range map[string][2]bool{
		"recall": {true, true}, "get_task": {false, true}, "github.create_issue": {true, false}, "files.read": {false, false},
	} {
		require.Equal(t, want, [2]bool{a.MayUse(name), b.MayUse(name)}, name)
	}
	_, err = agents.New("a", []agents.Agent{{Name: "a", Instructions: "x", Tools: []string{"fly_*"}}}, agents.Rules{Tools: tools})
	require.EqualError(t, err, `agent "a": unknown tool "fly_*"`)
}
