package tools

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"errand"
	"errand/internal/store"
)

// AskTeam is the name of the tool that asks several agents at once.
const AskTeam = "ask_team"

// Bounds of what one call of [AskTeam] asks for.
const (
	maxTeam      = 10
	minDeadline  = time.Minute
	mostDeadline = 90 * 24 * time.Hour
)

func askTeam() Tool {
	const branch = `{"type": "object", "properties": {"agents": {"type": "array", "items": {"type": "string"}}, "task": {"type": "string"}}, "required": ["agents", "task"]}`
	return Tool{
		Name: AskTeam,
		Description: "Have several agents do the same task at once and wait for all of them: their reports come as one result. " +
			"With expect decision each gives a verdict instead, YES, NO or ABSTAIN, none knowing the others', and errand counts them by the policy. " +
			"A task in then is started on YES, one in else on any other answer, with the reasons; without else, the reasons come back to you.",
		Parameters: json.RawMessage(`{
			"type": "object",
			"properties": {
				"agents": {"type": "array", "items": {"type": "string"}, "description": "names of the agents"},
				"task": {"type": "string", "description": "what is to be done or decided, complete in itself: the agents do not see this conversation"},
				"expect": {"type": "string", "enum": ["report", "decision"], "description": "report by default"},
				"policy": {"type": "string", "description": "of a decision: all, any, majority (the default) or quorum:3; behind it, where needed, weights:finn=2, veto:priest, rest:finish"},
				"deadline": {"type": "string", "description": "after which it ends with what is there, as 30m or 24h; never by default"},
				"then": ` + branch + `,
				"else": ` + branch + `
			},
			"required": ["agents", "task"]
		}`),
		By: store.ByDelegation,
	}
}

// A namedBranch is a branch as a model writes it.
type namedBranch struct {
	Agents []string
	Task   string
}

// ParseTeam reads a call of [AskTeam]. The error is for the model to read.
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
			return n, fmt.Errorf("the deadline %q is no time from 1m to 2160h; write it as 30m or 24h", errand.Cut(in.Deadline, 20))
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
		return n, fmt.Errorf("%q cannot be expected: report or decision can", errand.Cut(in.Expect, 20))
	}
	if n.Policy, err = errand.ParsePolicy(cmp.Or(in.Policy, string(errand.Majority))); err != nil {
		return n, err
	}
	if err := n.Policy.Check(n.Agents); err != nil {
		return n, err
	}
	if n.Then, err = in.Then.branch("then"); err != nil {
		return n, err
	}
	n.Else, err = in.Else.branch("else")
	return n, err
}

func (b *namedBranch) branch(name string) (*errand.Branch, error) {
	if b == nil {
		return nil, nil
	}
	agents, task, err := team(b.Agents, b.Task)
	if err != nil {
		return nil, fmt.Errorf("in %q: %w", name, err)
	}
	return &errand.Branch{Agents: agents, Task: task}, nil
}

// team reads who is to do what. Who is named twice is asked once.
func team(names []string, task string) ([]errand.AgentName, string, error) {
	var agents []errand.AgentName
	for _, name := range names {
		a := errand.AgentName(strings.ToLower(strings.TrimSpace(name)))
		if a != "" && !slices.Contains(agents, a) {
			agents = append(agents, a)
		}
	}
	task = strings.TrimSpace(task)
	switch {
	case len(agents) == 0:
		return nil, "", errors.New(`"agents" is empty: name those that are to be asked`)
	case len(agents) > maxTeam:
		return nil, "", fmt.Errorf("%d agents are named; at most %d can be asked at once", len(agents), maxTeam)
	case task == "":
		return nil, "", errors.New(`"task" is missing`)
	case len(task) > maxTask:
		return nil, "", fmt.Errorf("the task has %d bytes; at most %d", len(task), maxTask)
	}
	return agents, task, nil
}
