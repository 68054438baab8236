package service

import (
	"cmp"
	"time"

	"errand"
	"errand/internal/store"
)

// Decides says what a task is to decide, and what follows. The zero value is that of a
// task whose agents report.
type Decides struct {
	Expect   Expect
	Policy   string        // as people write it; default: majority. Only with a decision
	Deadline time.Duration // after which it ends with what is there; 0: never
	// Then follows a yes, Else any other answer; nil: nothing does.
	Then, Else *errand.Branch
}

// Expect says what the agents of a task are to give.
type Expect string

// What is expected.
const (
	ExpectReport   Expect = "report"
	ExpectDecision Expect = "decision" // each gives its verdict
)

// Bounds of a deadline.
const (
	minDeadline = time.Minute
	maxDeadline = 90 * 24 * time.Hour
)

func (s *Service) decide(by Actor, d Decides, n *store.NewTask) error {
	switch {
	case d.Deadline != 0 && (d.Deadline < minDeadline || d.Deadline > maxDeadline):
		return Invalid("deadline", "refusal.deadline")
	case d.Expect != "" && d.Expect != ExpectReport && d.Expect != ExpectDecision:
		return Invalid("expect", "refusal.expect")
	case d.Expect != ExpectDecision && (d.Policy != "" || d.Then != nil || d.Else != nil):
		return Invalid("expect", "refusal.no_decision")
	}
	n.Deadline = d.Deadline
	if d.Expect != ExpectDecision {
		return nil
	}
	policy, err := errand.ParsePolicy(cmp.Or(d.Policy, string(errand.Majority)))
	if err == nil {
		err = policy.Check(n.Agents)
	}
	if err != nil {
		return Invalid("policy", "refusal.policy", "problem", err.Error())
	}
	n.Policy = policy
	if n.Then, err = s.branch(by, d.Then); err != nil {
		return err
	}
	n.Else, err = s.branch(by, d.Else)
	return err
}

// branch checks the task that is to follow a decision.
func (s *Service) branch(by Actor, b *errand.Branch) (*errand.Branch, error) {
	if b == nil {
		return nil, nil
	}
	text, err := CleanText(b.Task, s.MessageBytes)
	if err != nil {
		return nil, err
	}
	agents, err := s.delegates(by, b.Agents)
	return &errand.Branch{Agents: agents, Task: text}, err
}
