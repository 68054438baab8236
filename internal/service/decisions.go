package service

import (
	"cmp"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/decision"
	"errand/internal/store"
)

const (
	minDeadline = time.Minute
	maxDeadline = 90 * 24 * time.Hour
)

// decide adds to n what the task has to decide, and the tasks that follow the decision.
func (t *Tasks) decide(by actor.Actor, d api.NewTask, n *store.NewTask) error {
	deadline := time.Duration(d.Deadline) * time.Second
	switch {
	case deadline != 0 && (deadline < minDeadline || deadline > maxDeadline):
		return Invalid("deadline", "refusal.deadline")
	case d.Expect != "" && d.Expect != api.ExpectReport && d.Expect != api.ExpectDecision:
		return Invalid("expect", "refusal.expect")
	case d.Expect != api.ExpectDecision && (d.Policy != "" || d.Then != nil || d.Else != nil):
		return Invalid("expect", "refusal.no_decision")
	}
	n.Deadline = deadline
	if d.Expect != api.ExpectDecision {
		return nil
	}
	policy, err := decision.ParsePolicy(cmp.Or(d.Policy, string(core.Majority)))
	if err == nil {
		err = decision.Check(policy, n.Agents)
	}
	if err != nil {
		return Invalid("policy", "refusal.policy", "problem", err.Error())
	}
	n.Policy = policy
	if n.Then, err = t.branch(by, d.Then); err != nil {
		return err
	}
	n.Else, err = t.branch(by, d.Else)
	return err
}

func (t *Tasks) branch(by actor.Actor, b *core.Branch) (*core.Branch, error) {
	if b == nil {
		return nil, nil
	}
	text, err := CleanText(b.Task, t.MessageBytes)
	if err != nil {
		return nil, err
	}
	agents, err := t.delegates(by, b.Agents)
	return &core.Branch{Agents: agents, Task: text}, err
}
