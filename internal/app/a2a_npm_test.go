package app_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"errand/internal/agents"
	"errand/internal/config"
	"errand/internal/core"
	"errand/internal/ownerkey"
	"errand/internal/test/servicetest"
)

// TestA2AFromNPM runs the SDK for JavaScript of the protocol's own project against an
// installation: its clients of version 1.0 send an agent of errand's on tasks, and agents made with
// its servers of 1.0 and 0.3 are errand's remote agents. ERRAND_TEST_A2A_NPM is the folder in which it is
// installed.
func TestA2AFromNPM(t *testing.T) {
	npm := os.Getenv("ERRAND_TEST_A2A_NPM")
	if npm == "" {
		t.Skip("ERRAND_TEST_A2A_NPM names no folder with the SDK")
	}
	peers := startNPMPeers(t, npm)
	in, _ := play(t, nil, func(c *config.Config) {
		list := []agents.Agent{
			{Name: "nikki", Instructions: "I am nikki.", MaxSteps: agents.MaxMaxSteps},
			{Name: "sasha", Instructions: "I am sasha.", Description: "Finds trains."},
		}
		for _, name := range npmPeerNames() {
			list[0].Delegates = append(list[0].Delegates, name)
			list = append(list, agents.Agent{Name: name, Kind: core.RemoteAgent, Description: "Knows.", NotSticky: true})
			c.RemoteAgents = append(c.RemoteAgents, config.RemoteAgent{Name: name, Card: peers.url + "/" + npmPeers[name] + "/card"})
		}
		list[0].Delegates = append(list[0].Delegates, "sasha")
		var err error
		if c.Roster, err = agents.New("nikki", list, agents.Rules{}); err != nil {
			t.Fatal(err)
		}
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
	for _, agent := range npmPeerNames() {
		t.Run("peer "+string(agent), func(t *testing.T) { in.of(t).npmPeer(peers, agent) })
	}
}

var npmPeers = map[core.AgentName]string{
	"new": "1.0", "new-stream": "1.0-stream",
	"old": "0.3", "old-stream": "0.3-stream",
}

func npmPeerNames() []core.AgentName { return slices.Sorted(maps.Keys(npmPeers)) }

// npmPeer proves what becomes of tasks of one of them.
func (in *installation) npmPeer(peers *npmProcess, agent core.AgentName) {
	t, to := in.t, string(agent)
	of := func(what string) string { return to + "-" + what }
	works, asks := in.send(of("works"), do(send(to, "WORK"))), in.send(of("asks"), do(send(to, "ASK")))
	fails := in.send(of("fails"), do(send(to, "FAIL")))
	waits := in.send(of("waits"), do(send(to, "WAIT")))
	in.command(of("asks"), "/answer "+string(in.openQuestion(of("asks")).ID)+" Monday")
	in.until(works, hasText("By night train."))
	if task := in.tasks(of("works"))[0]; !strings.Contains(task.Result, ": plan.txt, text/plain, 13 bytes]") {
		t.Errorf("the result is %q", task.Result)
	}
	in.until(asks, hasText("It is on Monday."))
	in.until(fails, hasText("There is no train."))
	in.until(waits, replies(1))
	in.cancelAtPeer(of("waits"), agent)
	peers.says(t, "canceled "+npmPeers[agent], 1)

	if path, can, _ := strings.Cut(npmPeers[agent], "-"); can == "stream" {
		peers.says(t, "followed "+path+"-stream", 1)
	}
	late := in.send(of("late"), do(send(to, "LATE")))
	in.cancelAtPeer(of("late"), agent)
	peers.goOn(t)
	in.until(late, hasText("By night train."))
}

// cancelAtPeer cancels the task of a chat once its peer has it.
func (in *installation) cancelAtPeer(chat string, agent core.AgentName) {
	in.t.Helper()
	task := in.awaitTasks(chat, 1)[0]
	eventually(in.t, "the task there", func() bool {
		work, err := in.Store.PeerWork(in.t.Context(), task.ID, agent)
		return err == nil && work.PeerTask != ""
	})
	if _, err := servicetest.CancelTask(in.t.Context(), in.Service, owner, task.ID, "not needed"); err != nil {
		in.t.Fatal(err)
	}
}

// An npmProcess has the agents that are made with the SDK.
type npmProcess struct {
	url   string
	stdin io.Writer

	mu    sync.Mutex
	lines []string // that it has printed
}

func startNPMPeers(t *testing.T, npm string) *npmProcess {
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
	p, read := &npmProcess{stdin: stdin}, make(chan struct{})
	t.Cleanup(func() {
		stdin.Close()
		<-read
		_ = peers.Wait()
	})
	go func() {
		defer close(read)
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			p.mu.Lock()
			p.lines = append(p.lines, scanner.Text())
			p.mu.Unlock()
		}
	}()
	p.says(t, "http://", 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.url = p.lines[0]
	return p
}

// says waits until it has printed n lines that begin with something.
func (p *npmProcess) says(t *testing.T, what string, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d lines %q", n, what), func() bool {
		p.mu.Lock()
		defer p.mu.Unlock()
		found := 0
		for _, line := range p.lines {
			if strings.HasPrefix(line, what) {
				found++
			}
		}
		return found >= n
	})
}

func (p *npmProcess) goOn(t *testing.T) {
	t.Helper()
	if _, err := io.WriteString(p.stdin, "go\n"); err != nil {
		t.Fatal(err)
	}
}
