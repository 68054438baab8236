package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"errand/internal/core"
	"errand/internal/decision"
	"errand/internal/store"
)

// AskTeam is the name of the tool that asks several agents at once.
const AskTeam = "ask_team"

const (
	maxTeam      = 10
	minDeadline  = time.Minute
	mostDeadline = 90 * 24 * time.Hour
)

func askTeam() Tool {
	const branch = `{"type": "object", "properties": {"agents": {"type": "array", "items": {"type": "string"}}, "task": {"type": "string"}}, "required": ["agents", "task"]}`
	return Tool{
		Name: AskTeam,
		Description: "Give several agents the same task at once and wait for all of them. Their reports are one result. " +
			"With expect=decision, each gives a verdict instead (YES, NO or ABSTAIN) without knowing the others, and errand counts the verdicts by the policy. " +
			"If the decision is YES, errand starts the task in then; otherwise the task in else. That task also gets the reasons. Without else, you get the reasons.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"agents": {"type": "array", "items": {"type": "string"}, "description": "names of the agents"},
				"task": {"type": "string", "description": "what to do or decide, understandable by itself: the agents do not see this conversation"},
				"expect": {"type": "string", "enum": ["report", "decision"], "description": "default: report"},
				"policy": {"type": "string", "description": "of a decision: all, any, majority (default) or quorum:3; optionally followed by weights:finn=2, veto:priest, rest:finish (agents still at work finish; otherwise errand stops them)"},
				"deadline": {"type": "string", "description": "when to stop waiting, such as 30m or 24h; default: never"},
				"then": ` + branch + `,
				"else": ` + branch + `
			},
			"required": ["agents", "task"]
		}`),
		By: store.ByDelegation,
	}
}

type namedBranch struct {
	Agents []string
	Task   string
}

// ParseTeam parses a call of [AskTeam]. The model reads the error.
func ParseTeam(args string) (store.NewTask, error) {
	in, err := Parse[struct {
		Agents                   []string
		Task                     string
		Expect, Policy, Deadline string
		Then, Else               *namedBranch
	}](json.RawMessage(args))
	if err != nil {
		return store.NewTask{}, err
	}
	n := store.NewTask{Waits: true}
	if n.Agents, n.Text, err = team(in.Agents, in.Task); err != nil {
		return n, err
	}
	if in.Deadline != "" {
		n.Deadline, err = time.ParseDuration(in.Deadline)
		if err != nil || n.Deadline < minDeadline || n.Deadline > mostDeadline {
			return n, fmt.Errorf("the deadline %q is no time from 1m to 2160h; write it as 30m or 24h", core.Cut(in.Deadline, 20))
		}
	}
	switch in.Expect {
	case "", "report":
		if in.Policy != "" || in.Then != nil || in.Else != nil {
			return n, errors.New(`"policy", "then" and "else" need a decision: say "expect": "decision"`)
		}
		return n, nil
	case "decision":
	default:
		return n, fmt.Errorf("\"expect\" cannot be %q; use report or decision", core.Cut(in.Expect, 20))
	}
	if n.Policy, err = decision.ParsePolicy(cmp.Or(in.Policy, string(core.Majority))); err != nil {
		return n, err
	}
	if err := decision.Check(n.Policy, n.Agents); err != nil {
		return n, err
	}
	if n.Then, err = in.Then.branch("then"); err != nil {
		return n, err
	}
	n.Else, err = in.Else.branch("else")
	return n, err
}

func (b *namedBranch) branch(name string) (*core.Branch, error) {
	if b == nil {
		return nil, nil
	}
	agents, task, err := team(b.Agents, b.Task)
	if err != nil {
		return nil, fmt.Errorf("in %q: %w", name, err)
	}
	return &core.Branch{Agents: agents, Task: task}, nil
}

func team(names []string, task string) ([]core.AgentName, string, error) {
	var agents []core.AgentName
	for _, name := range names {
		a := core.AgentName(strings.ToLower(strings.TrimSpace(name)))
		if a != "" && !slices.Contains(agents, a) {
			agents = append(agents, a)
		}
	}
	task = strings.TrimSpace(task)
	switch {
	case len(agents) == 0:
		return nil, "", errors.New(`"agents" is empty: name the agents to ask`)
	case len(agents) > maxTeam:
		return nil, "", fmt.Errorf("%d agents are named; at most %d can be asked at once", len(agents), maxTeam)
	case task == "":
		return nil, "", errors.New(`"task" is missing`)
	case len(task) > maxTask:
		return nil, "", fmt.Errorf("the task has %d bytes; at most %d", len(task), maxTask)
	}
	return agents, task, nil
}
