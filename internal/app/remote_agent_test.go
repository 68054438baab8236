package app_test

import (
	"strings"
	"testing"

	"errand"
	"errand/internal/agents"
	"errand/internal/config"
	"errand/internal/ownerkey"
)

// TestRemoteAgent proves that an agent of one installation is sent on errands by another,
// over A2A: that its answer is waited for, and told when it comes late, and that a task which
// is canceled here is canceled there.
func TestRemoteAgent(t *testing.T) {
	t.Parallel()
	there, peer := play(t, nil)
	key, err := ownerkey.Read(there.opts.Config.Data)
	if err != nil {
		t.Fatal(err)
	}
	in, _ := play(t, nil, func(cfg *config.Config) {
		cfg.Roster, err = agents.New("nikki", []agents.Agent{
			{Name: "nikki", Instructions: "I am nikki.", Delegates: []errand.AgentName{"oracle"}, MaxSteps: agents.MaxMaxSteps},
			{Name: "oracle", Kind: errand.RemoteAgent, Description: "Knows.", NotSticky: true},
		}, agents.Rules{})
		cfg.RemoteAgents = []config.RemoteAgent{{Name: "oracle", Card: "http://" + there.Address + "/a2a/sasha/.well-known/agent-card.json",
			Headers: map[string]config.Secret{"Authorization": config.Secret("Bearer " + string(key))}}}
	})
	if err != nil {
		t.Fatal(err)
	}
	chat := in.send("main", do(ask("oracle", "which way?")))
	if said := textsOf(in.until(chat, replies(1))); !strings.Contains(said[0], "which way?") {
		t.Errorf("with the answer of the other installation it is %q", said)
	}
	chat = in.send("later", do(send("oracle", "wait cake")))
	in.until(chat, replies(1))
	peer.open("cake")
	if said := textsOf(in.until(chat, replies(2))); !strings.Contains(said[1], "done cake") {
		t.Errorf("the late result is told as %q", said)
	}
	in.send("stopped", do(send("oracle", "wait tea")))
	task := in.awaitTasks("stopped", 1)[0]
	peer.asked(t, "wait tea")
	if _, err := in.Service.CancelTask(t.Context(), owner, task.ID, "not needed"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the end of the task there", func() bool {
		for _, there := range there.tasks("") {
			if strings.Contains(there.Text, "wait tea") {
				return there.State == errand.Canceled
			}
		}
		return false
	})
}
