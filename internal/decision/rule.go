package decision

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"errand/internal/core"
)

// Limits of a policy.
const (
	maxPolicy = 2000 // bytes
	maxWeight = 99
)

// ParsePolicy parses a policy that counts verdicts, in any case, order and spacing, and returns its
// canonical form. It is a rule with optional parts:
//
//	all | any | majority | quorum:3
//	weights:finn=2,priest=3   weight of an agent's verdict; default 1
//	veto:finn,priest          a NO of them decides no; a yes needs their verdicts
//	rest:cancel | rest:finish what happens to working agents after the decision; default cancel
//
// With quorum:N the answer is yes if N verdicts are yes, and no if N can no longer be reached. All
// counts refer to the agents that were asked, not to those that answered. The error explains the
// mistake to the writer.
func ParsePolicy(text string) (core.Policy, error) {
	r, err := parseRule(text)
	if err != nil {
		return "", err
	}
	return core.Policy(r.String()), nil
}

// Check returns an error if a policy cannot decide for these agents.
func Check(p core.Policy, agents []core.AgentName) error {
	if !p.CountsVerdicts() {
		return nil
	}
	r, err := parseRule(string(p))
	if err != nil {
		return err
	}
	return r.check(agents)
}

type rule struct {
	name    core.Policy // All, Any, Majority, or empty for a quorum
	quorum  int
	weights []weight // other than 1, by name
	veto    []core.AgentName
	finish  bool // let the other agents finish
}

type weight struct {
	agent core.AgentName
	n     int
}

func parseRule(text string) (rule, error) {
	var r rule
	if len(text) > maxPolicy {
		return r, fmt.Errorf("a policy may have at most %d bytes", maxPolicy)
	}
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return r, errors.New("the policy is empty: write all, any, majority or quorum:N")
	}
	seen := map[string]bool{}
	for _, word := range words {
		key, value, _ := strings.Cut(word, ":")
		kind := key
		switch core.Policy(word) {
		case core.All, core.Any, core.Majority:
			kind, r.name = "rule", core.Policy(word)
		}
		if key == "quorum" {
			kind = "rule"
		}
		if seen[kind] {
			return r, fmt.Errorf("%q in the policy %q repeats or contradicts an earlier word", core.Cut(word, 60), core.Cut(text, 60))
		}
		seen[kind] = true
		var err error
		switch {
		case r.name == core.Policy(word):
		case key == "quorum":
			r.quorum, err = count(value, 1, maxWeight*maxWeight)
		case key == "weights":
			r.weights, err = parseWeights(value)
		case key == "veto":
			r.veto, err = parseNames(value)
		case word == "rest:cancel":
		case word == "rest:finish":
			r.finish = true
		default:
			err = errors.New("write all, any, majority or quorum:N, then optionally weights:AGENT=N, veto:AGENT or rest:finish")
		}
		switch {
		case err != nil && len(words) == 1:
			return r, fmt.Errorf("%q is not a policy: %w", core.Cut(word, 60), err)
		case err != nil:
			return r, fmt.Errorf("%q in the policy %q is not valid: %w", core.Cut(word, 60), core.Cut(text, 60), err)
		}
	}
	if !seen["rule"] {
		return r, fmt.Errorf("the policy %q has no rule: write all, any, majority or quorum:N first", core.Cut(text, 60))
	}
	return r, nil
}

func count(text string, from, to int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < from || n > to || strconv.Itoa(n) != text {
		return 0, fmt.Errorf("%q is not a number from %d to %d", core.Cut(text, 20), from, to)
	}
	return n, nil
}

func parseWeights(list string) ([]weight, error) {
	var weights []weight
	seen := map[core.AgentName]bool{}
	for part := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(part, "=")
		n, err := count(value, 1, maxWeight)
		switch {
		case err != nil:
			return nil, err
		case name == "" || seen[core.AgentName(name)]:
			return nil, fmt.Errorf("%q: name each agent once, as AGENT=N", core.Cut(part, 40))
		}
		seen[core.AgentName(name)] = true
		if n != 1 {
			weights = append(weights, weight{core.AgentName(name), n})
		}
	}
	slices.SortFunc(weights, func(a, b weight) int { return strings.Compare(string(a.agent), string(b.agent)) })
	return weights, nil
}

func parseNames(list string) ([]core.AgentName, error) {
	var names []core.AgentName
	for name := range strings.SplitSeq(list, ",") {
		if name == "" || strings.Contains(name, "=") {
			return nil, errors.New("the name of an agent is missing")
		}
		names = append(names, core.AgentName(name))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// String returns the canonical form of a rule.
func (r rule) String() string {
	words := []string{string(r.name)}
	if r.name == "" {
		words[0] = "quorum:" + strconv.Itoa(r.quorum)
	}
	if len(r.weights) > 0 {
		var list []string
		for _, w := range r.weights {
			list = append(list, string(w.agent)+"="+strconv.Itoa(w.n))
		}
		words = append(words, "weights:"+strings.Join(list, ","))
	}
	if len(r.veto) > 0 {
		words = append(words, "veto:"+strings.Join(core.Strings(r.veto), ","))
	}
	if r.finish {
		words = append(words, "rest:finish")
	}
	return strings.Join(words, " ")
}

func (r rule) check(agents []core.AgentName) error {
	if len(agents) == 0 {
		return errors.New("no agents are asked")
	}
	named := slices.Clone(r.veto)
	for _, w := range r.weights {
		named = append(named, w.agent)
	}
	for _, name := range named {
		if !slices.Contains(agents, name) {
			return fmt.Errorf("the policy names %s, but only these agents are asked: %s", core.Cut(string(name), 40), strings.Join(core.Strings(agents), ", "))
		}
	}
	if whole := r.whole(agents); r.quorum > whole {
		return fmt.Errorf("a quorum of %d cannot be reached: all verdicts together count %d", r.quorum, whole)
	}
	return nil
}

func (r rule) weight(agent core.AgentName) int {
	for _, w := range r.weights {
		if w.agent == agent {
			return w.n
		}
	}
	return 1
}

func (r rule) whole(agents []core.AgentName) int {
	n := 0
	for _, a := range agents {
		n += r.weight(a)
	}
	return n
}

// needs returns the minimum weights for yes and for no. Their sum exceeds the whole, so that they
// exclude each other.
func (r rule) needs(whole int) (yes, no int) {
	switch r.name {
	case core.All:
		return whole, 1
	case core.Any:
		return 1, whole
	case core.Majority:
		return whole/2 + 1, whole/2 + 1
	}
	return r.quorum, whole - r.quorum + 1
}
