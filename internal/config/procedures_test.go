package config_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"errand/internal/config"
	"errand/internal/core"
)

// TestProcedures proves how delegations with names are read, and what is refused of them.
func TestProcedures(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, `procedures:
  release:
    agents: [sasha, priest]
    task: Is this release good? {text}
    policy: Majority veto:priest
    deadline: 24h
    then: {agents: [finn], task: "release {text}"}
    else: {agents: [nikki], task: say why not}
  look: {agents: [sasha], task: look it up}
`, nil, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, []core.Procedure{
		{Name: "release", Agents: []core.AgentName{"sasha", "priest"}, Task: "Is this release good? {text}", Policy: "majority veto:priest", Deadline: 24 * time.Hour,
			Then: &core.Branch{Agents: []core.AgentName{"finn"}, Task: "release {text}"}, Else: &core.Branch{Agents: []core.AgentName{"nikki"}, Task: "say why not"}},
		{Name: "look", Agents: []core.AgentName{"sasha"}, Task: "look it up"},
	}, c.Procedures)
	p := c.Procedures[0].For("1.4")
	require.Equal(t, "Is this release good? 1.4", p.Task)
	require.Equal(t, "release 1.4", p.Then.Task)
	require.Equal(t, "release {text}", c.Procedures[0].Then.Task)
	require.Equal(t, "look it up\n\nnow", c.Procedures[1].For("now").Task)

	const good = "agents: [sasha], task: x"
	for _, test := range []struct{ procedure, want string }{
		{"finn: {" + good + "}", `errand.yaml:2: procedure "finn": an agent has this name: choose another`},
		{"Release 1: {" + good + "}", `errand.yaml:2: procedure "Release 1": the name must begin with a small letter and have at most 31 small letters, digits, _ and -`},
		{"r:", `errand.yaml:2: procedure "r": is empty: set agents and task`},
		{"r: {task: x}", `errand.yaml:2: procedure "r": agents: is missing: list the agents that get the task`},
		{"r: {agents: [sasha]}", `errand.yaml:2: procedure "r": task: is missing: write the task, with {text} in place of the person's words`},
		{"r: {agents: [shasa], task: x}", `errand.yaml:2: procedure "r": agents[0]: there is no agent "shasa" (did you mean "sasha"?)`},
		{"r: {agents: [sasha, sasha], task: x}", `errand.yaml:2: procedure "r": agents[1]: sasha is listed twice`},
		{"r: {" + good + ", policy: most}", `errand.yaml:2: procedure "r": policy: "most" is not a policy: write all, any, majority or quorum:N, then optionally weights:AGENT=N, veto:AGENT or rest:finish`},
		{"r: {" + good + ", policy: \"quorum:2\"}", `errand.yaml:2: procedure "r": policy: a quorum of 2 cannot be reached: all verdicts together count 1`},
		{"r: {" + good + ", deadline: 30s}", `errand.yaml:2: procedure "r": deadline: 30s is less than 1m`},
		{"r: {" + good + ", deadline: 9000h}", `errand.yaml:2: procedure "r": deadline: 9000h is more than 2160h`},
		{"r: {" + good + ", expect: report, policy: all}", `errand.yaml:2: procedure "r": expect: policy, then and else need a decision: write decision, or leave expect out`},
		{"r: {" + good + ", then: {agents: [vera], task: x}}", `errand.yaml:2: procedure "r": then.agents[0]: there is no agent "vera" (known: finn, nikki, priest, sasha)`},
		{"r: {" + good + ", else: {agents: [finn]}}", `errand.yaml:2: procedure "r": else.task: is missing: write the task, with {text} in place of the person's words`},
		{"r: {" + good + ", when: now}", `errand.yaml:2: procedure "r": unknown key "when" (did you mean "then"?)`},
	} {
		_, err := load(t, "procedures:\n  "+test.procedure+"\n", nil, config.Flags{})
		if err == nil || err.Error() != test.want {
			t.Errorf("%s:\n\t%v\nwant\n\t%s", test.procedure, err, test.want)
		}
	}
}
