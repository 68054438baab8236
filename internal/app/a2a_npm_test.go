package app_test

import (
	"bufio"
	"os"
	"os/exec"
	"strings"
	"testing"

	"errand"
	"errand/internal/agents"
	"errand/internal/config"
	"errand/internal/ownerkey"
)

// TestA2AFromNPM runs the SDK for JavaScript of the protocol's own project, of versions 1.0 and 0.3,
// against an installation: its clients send an agent of errand's on tasks, and agents made with
// its servers are errand's remote agents. ERRAND_TEST_A2A_NPM is the folder in which it is
// installed.
func TestA2AFromNPM(t *testing.T) {
	npm := os.Getenv("ERRAND_TEST_A2A_NPM")
	if npm == "" {
		t.Skip("ERRAND_TEST_A2A_NPM names no folder with the SDK")
	}
	url, said := startNPMPeers(t, npm)
	in, _ := play(t, nil, func(c *config.Config) {
		var err error
		c.Roster, err = agents.New("nikki", []agents.Agent{
			{Name: "nikki", Instructions: "I am nikki.", Delegates: []errand.AgentName{"sasha", "new", "old"}, MaxSteps: agents.MaxMaxSteps},
			{Name: "sasha", Instructions: "I am sasha.", Description: "Finds trains."},
			{Name: "new", Kind: errand.RemoteAgent, Description: "Knows.", NotSticky: true},
			{Name: "old", Kind: errand.RemoteAgent, Description: "Knows.", NotSticky: true},
		}, agents.Rules{})
		if err != nil {
			t.Fatal(err)
		}
		c.RemoteAgents = []config.RemoteAgent{{Name: "new", Card: url + "/1.0/card"}, {Name: "old", Card: url + "/0.3/card"}}
	})
	t.Run("clients", func(t *testing.T) {
		owner, err := ownerkey.Read(in.opts.Config.Data)
		if err != nil {
			t.Fatal(err)
		}
		script := exec.CommandContext(t.Context(), "node", "clients.mjs")
		script.Dir = npm
		script.Env = append(os.Environ(), "AGENT_URL=http://"+in.Address+"/a2a/sasha", "API_KEY="+string(owner),
			"ASKS="+do(tool("ask_user", map[string]string{"question": "Which day?"})))
		out, err := script.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
	})
	for _, agent := range []string{"new", "old"} {
		t.Run("peer "+agent, func(t *testing.T) {
			of := func(what string) string { return agent + "-" + what }
			works, asks := in.send(of("works"), do(send(agent, "WORK"))), in.send(of("asks"), do(send(agent, "ASK")))
			fails := in.send(of("fails"), do(send(agent, "FAIL")))
			waits := in.send(of("waits"), do(send(agent, "WAIT")))
			in.command(of("asks"), "/answer "+string(in.openQuestion(of("asks")).ID)+" Monday")
			in.until(works, hasText("By night train."))
			in.until(asks, hasText("It is on Monday."))
			in.until(fails, hasText("There is no train."))
			in.until(waits, replies(1))
			task := in.tasks(of("waits"))[0]
			eventually(t, "the task there", func() bool {
				work, err := in.Store.PeerWork(t.Context(), task.ID, errand.AgentName(agent))
				return err == nil && work.PeerTask != ""
			})
			if _, err := in.Service.CancelTask(t.Context(), owner, task.ID, "not needed"); err != nil {
				t.Fatal(err)
			}
			if line := <-said; line != "canceled" {
				t.Errorf("the peer says %q", line)
			}
		})
	}
}

// startNPMPeers starts the agents that are made with the SDK, and returns where they are and
// what they say.
func startNPMPeers(t *testing.T, npm string) (url string, said <-chan string) {
	t.Helper()
	peers := exec.CommandContext(t.Context(), "node", "peers.mjs")
	peers.Dir, peers.Stderr = npm, os.Stderr
	stdin, err := peers.StdinPipe() // it ends with this
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := peers.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := peers.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 10)
	t.Cleanup(func() {
		stdin.Close()
		for range lines {
		}
		_ = peers.Wait()
	})
	go func() {
		defer close(lines)
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			lines <- scanner.Text()
		}
	}()
	url, ok := <-lines
	if !ok || !strings.HasPrefix(url, "http://") {
		t.Fatalf("the agents do not start: %q", url)
	}
	return url, lines
}
