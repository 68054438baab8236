package config_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"errand/internal/config"
	"errand/internal/core"
)

// TestRemoteAgents proves how agents of other systems are read: they are in the roster, and
// the primary agent can send them on errands.
func TestRemoteAgents(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, `remote_agents:
  oracle:
    card: https://agents.example.org/.well-known/agent-card.json
    description: Knows the weather.
    headers: {Authorization: "Bearer ${ORACLE_TOKEN}"}
    role: partner
    updates: poll
`, map[string]string{"ORACLE_TOKEN": "o-1"}, config.Flags{})
	require.NoError(t, err)
	require.Equal(t, []config.RemoteAgent{{Name: "oracle", Card: "https://agents.example.org/.well-known/agent-card.json",
		Headers: map[string]config.Secret{"Authorization": "Bearer o-1"}, Updates: config.UpdatesPoll}}, c.RemoteAgents)
	a, _ := c.Roster.Agent("oracle")
	require.Equal(t, core.RemoteAgent, a.Kind)
	require.Equal(t, core.Partner, a.Role)
	require.True(t, c.Roster.Primary().MayDelegate("oracle"))
	require.NotContains(t, c.Roster.HandoffTo(c.Roster.Primary().Name), a)
}

// TestRefusedRemoteAgents proves what is refused, and that it is said what to do.
func TestRefusedRemoteAgents(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{"remote_agents: {oracle: {description: Knows.}}", `remote_agents.oracle.card: want the address of its card`},
		{"remote_agents: {oracle: {card: \"http://h/card\"}}", `agent "oracle": description is missing`},
		{"remote_agents: {oracle: }", `is empty: set card`},
		{"remote_agents: {oracle: {card: \"http://h/card\", description: Knows., headers: {authorization: Bearer abc}}}", `a key does not belong in this file`},
		{"remote_agents: {oracle: {card: \"http://h/card\", description: Knows., model: x}}", `model`},
		{"remote_agents: {oracle: {card: \"http://h/card\", description: Knows., updates: push}}", `remote_agents.oracle.updates: "push" is not one of stream, poll`},
		{"remote_agents: {coder: {acp: opencode acp, folder: shop, updates: poll}}", `does not work together with card, headers or updates`},
		{"primary: ada\nagents: {ada: {instructions: I am Ada.}}\nremote_agents: {ada: {card: \"http://h/card\", description: Knows.}}", `agents has an agent of this name too`},
		{"primary: oracle\nremote_agents: {oracle: {card: \"http://h/card\", description: Knows.}}", `a session cannot begin with it`},
	} {
		t.Run(test.want, func(t *testing.T) {
			t.Chdir(t.TempDir())
			_, err := load(t, test.file+"\n", nil, config.Flags{})
			require.ErrorContains(t, err, test.want)
		})
	}
}

// TestCodingAgents proves how programs that are agents are read: their paths are beside the
// file, a shipped agent of the name is replaced, and what is missing is said.
func TestCodingAgents(t *testing.T) {
	t.Chdir(t.TempDir())
	c, err := load(t, "remote_agents:\n  finn: {acp: opencode acp, folder: shop, env: {KEY: \"${CODER_KEY}\"}}\n", map[string]string{"CODER_KEY": "k-1"}, config.Flags{})
	require.NoError(t, err)
	here, err := os.Getwd()
	require.NoError(t, err)
	require.Equal(t, []config.CodingAgent{{Name: "finn", Command: []string{"opencode", "acp"}, Folder: filepath.Join(here, "shop"), Env: map[string]config.Secret{"KEY": "k-1"}, Secrets: []config.Secret{"k-1"}}}, c.CodingAgents)
	require.Empty(t, c.RemoteAgents)
	a, _ := c.Roster.Agent("finn")
	require.Equal(t, core.CodingAgent, a.Kind)
	require.Contains(t, a.Description, "the folder shop")
	require.True(t, c.Roster.Primary().MayDelegate("finn"))
	for _, test := range []struct{ file, want string }{
		{"remote_agents: {coder: {acp: opencode acp}}", "want the folder in which it works"},
		{"remote_agents: {coder: {acp: [], folder: shop}}", "want the command of a program that speaks ACP"},
		{"remote_agents: {coder: {acp: opencode acp, folder: shop, card: \"http://h/card\"}}", "does not work together"},
		{"agents: {coder: {instructions: I code.}}\nremote_agents: {coder: {acp: opencode acp, folder: shop}}", "agents has an agent of this name too"},
	} {
		_, err := load(t, test.file+"\n", nil, config.Flags{})
		require.ErrorContains(t, err, test.want)
	}
}
