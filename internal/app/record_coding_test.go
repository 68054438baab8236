package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"errand/internal/agents"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/test/servicetest"
	"errand/internal/test/sim/coding"
)

// A coder is Coder, a program that works in a folder.
type coder struct{ folder, sessions string }

func newCoder(t *testing.T) coder { return coder{t.TempDir(), t.TempDir()} }

func (c coder) read(name string) string {
	text, _ := os.ReadFile(filepath.Join(c.folder, name))
	return string(text)
}

func (c coder) worksFor(cfg *config.Config) {
	var err error
	cfg.Roster, err = agents.New("nikki", []agents.Agent{
		{Name: "nikki", Instructions: "I am nikki.", Delegates: []core.AgentName{"coder"}, MaxSteps: agents.MaxMaxSteps},
		{Name: "coder", Kind: core.CodingAgent, Description: "Codes.", NotSticky: true},
	}, agents.Rules{})
	if err != nil {
		panic(err)
	}
	cfg.CodingAgents = []config.CodingAgent{{Name: "coder", Command: []string{os.Args[0]}, Folder: c.folder, Env: map[string]config.Secret{coding.Variable: config.Secret(c.sessions)}}}
}

// recordCoding records what becomes of the work of a coding agent: it is done after a yes, and
// canceled.
func recordCoding(c coder) func(*installation, *stage, string) map[string]string {
	return func(in *installation, _ *stage, chat string) map[string]string {
		key := in.send(chat, do(send("coder", ">ask a.txt hello\n>say It is written.")))
		in.command(chat, "/answer "+string(in.openQuestion(chat).ID)+" yes")
		in.until(key, hasText("It is written."))
		completed := in.tasks(chat)[0].ID
		in.send(chat, do(send("coder", ">write up 1\n>await never")))
		eventually(in.t, "work", func() bool { return c.read("up") != "" })
		canceled := in.tasks(chat)[0].ID
		if _, err := servicetest.CancelTask(in.t.Context(), in.Service, owner, canceled, "not needed"); err != nil {
			in.t.Fatal(err)
		}
		return map[string]string{
			"codingagent-completed":        string(core.SubAgentOwner(completed, "coder")),
			"codingagent-canceled":         string(core.SubAgentOwner(canceled, "coder")),
			"delegation-to-a-coding-agent": string(completed),
		}
	}
}
