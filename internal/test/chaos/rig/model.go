package rig

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"errand/internal/core"
	"errand/internal/llm"
	"errand/internal/llm/scripted"
	"errand/internal/test/sim/models"
)

// A Model is a model's provider, outside of all that is killed. It goes by tokens and by
// nothing else of a prompt. People write "say m7 k=0", "async m7 k=2", "sync m7 k=1",
// "nest m7 k=1"; a task is "work m7.1", its report "done-m7.1". A reply names the
// messages that it answers and the reports that it has read since the reply before,
// so that tests can count both in the chats. Each answer bears the number of its call.
type Model struct {
	// Pause is how long a call takes, by agent.
	Pause func(agent string) time.Duration
	// Hesitates is how long an answer to a person pauses before its last word, once the
	// rest is written, and is longer then; nil: it does not.
	Hesitates func(agent string) time.Duration

	mu    sync.Mutex
	calls []Call
}

// A Call is one that was made.
type Call struct {
	Prompt [sha256.Size]byte // of the agent and all messages, without the note of the time
	Began  time.Time
}

// Calls returns the calls until now; the number of each is its index.
func (m *Model) Calls() []Call {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.calls)
}

func (m *Model) begin(agent string, r llm.Request) (number int) {
	raw, err := json.Marshal(r.Messages) // the instructions are the same for all calls of an agent
	if err != nil {
		panic(err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, Call{sha256.Sum256(append([]byte(agent+"\n"), raw...)), time.Now()})
	return len(m.calls) - 1
}

var (
	whoPattern = regexp.MustCompile(`AGENT-(\w+)`)
	askPattern = regexp.MustCompile(`\b(say|async|sync|nest) (m\d+) k=(\d)`)

	// WorkPattern is a task, DonePattern its report, CallPattern the number of a call
	// in what came of it.
	WorkPattern = regexp.MustCompile(`\bwork (m\d+\.\d+x?)( nest)?`)
	DonePattern = regexp.MustCompile(`done-(m\d+\.\d+x?)\b`)
	CallPattern = regexp.MustCompile(`\bcall_(\d+)_`)
)

// ServeHTTP answers on the wire.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	models.Serve(m).ServeHTTP(w, r)
}

// Complete answers as the agent that the instructions name.
func (m *Model) Complete(ctx context.Context, r llm.Request, deltas func(llm.Delta)) (llm.Response, error) {
	agent, a := answer(scripted.NewTurn(r))
	if m.Hesitates != nil && len(a.Calls) == 0 {
		if a.Takes = m.Hesitates(agent); a.Takes > 0 {
			a.Text += strings.Repeat(" as it is", 10)
		}
	}
	if agent != "" {
		number := m.begin(agent, r)
		a.Text += fmt.Sprintf(" call_%d_", number)
		for i := range a.Calls {
			a.Text, a.Calls[i].ID = "", fmt.Sprintf("call_%d_%d", number, i)
		}
	}
	if err := scripted.Pause(ctx, m.Pause(agent)); err != nil {
		return llm.Response{}, err
	}
	if a.Takes > 0 {
		last := strings.LastIndex(a.Text, " ")
		deltas(llm.Delta{Text: a.Text[:last]})
		a.Deltas = []string{a.Text[last:]}
	}
	return a.Give(ctx, deltas)
}

// answer plays the agents. An agent that works on a task reads its whole transcript,
// which is about the task. An agent that talks to people reads the messages since its
// last reply.
func answer(t *scripted.Turn) (agent string, a scripted.Answer) {
	who := whoPattern.FindStringSubmatch(t.Request.System)
	if who == nil {
		return "", scripted.Answer{Text: "notes"} // a summary, or a first try of the model
	}
	agent = who[1]
	messages := slices.Concat(t.Before, t.Since)
	var work []string
	for _, m := range messages {
		if m.Speaker == core.FromPerson && work == nil {
			work = WorkPattern.FindStringSubmatch(m.Text)
		}
	}
	if agent == "nikki" || work == nil {
		messages, work = t.Since, nil
	}
	asked, done, answers := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, m := range messages {
		for _, c := range m.Calls {
			for _, task := range WorkPattern.FindAllStringSubmatch(c.Arguments, -1) {
				asked[task[1]] = true
			}
		}
		if m.Speaker == core.FromAgent {
			continue
		}
		for _, token := range DonePattern.FindAllStringSubmatch(m.Text, -1) {
			done["done-"+token[1]] = true
		}
	}
	call := func(name, agent, task, more string) {
		if len(t.Request.Tools) > 0 && !asked[task] {
			a.Calls = append(a.Calls, scripted.Call(name, map[string]string{"agent": agent, "task": "work " + task + more}))
		}
	}
	if work != nil {
		if work[2] != "" {
			name := "call_agent"
			if len(work[1])%2 == 0 {
				name = "call_agent_async"
			}
			call(name, "finn", work[1]+"x", "")
		}
		done["done-"+work[1]] = true
		a.Text = sortedTokens(done)
		return agent, a
	}
	for _, m := range messages {
		if m.Speaker != core.FromPerson {
			continue
		}
		for _, ask := range askPattern.FindAllStringSubmatch(m.Text, -1) {
			answers[ask[2]] = true
			if ask[1] == "say" {
				continue
			}
			name, more := "call_agent_async", ""
			switch ask[1] {
			case "sync":
				name = "call_agent"
			case "nest":
				more = " nest"
			}
			for k := range max(1, int(ask[3][0]-'0')) {
				call(name, "sasha", fmt.Sprintf("%s.%d", ask[2], k), more)
			}
		}
	}
	a.Text = "answers " + sortedTokens(answers) + " | " + sortedTokens(done)
	return agent, a
}

func sortedTokens(seen map[string]bool) string {
	list := make([]string, 0, len(seen))
	for token := range seen {
		list = append(list, token)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}
