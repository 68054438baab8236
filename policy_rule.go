package errand

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Bounds of what a policy may say.
const (
	maxPolicy = 2000 // bytes
	maxWeight = 99
)

// ParsePolicy reads a policy that counts verdicts, in any case, order and spacing, and
// returns it in its one form. It is a rule, and what goes with it:
//
//	all | any | majority | quorum:3
//	weights:finn=2,priest=3   what the verdict of an agent counts; others' count 1
//	veto:finn,priest          a NO of theirs is a no; a yes takes a verdict of theirs
//	rest:cancel | rest:finish what becomes of agents at work when it is decided; cancel
//
// With quorum:N the answer is yes if N verdicts are, and no if so many are that N cannot
// be. All counts are against the agents that were asked, not against those that
// answered. The error says what is wrong, for whoever wrote it.
func ParsePolicy(text string) (Policy, error) {
	r, err := parseRule(text)
	if err != nil {
		return "", err
	}
	return Policy(r.String()), nil
}

// Check says why a policy cannot decide what is asked of agents; nil if it can.
func (p Policy) Check(agents []AgentName) error {
	if !p.CountsVerdicts() {
		return nil
	}
	r, err := parseRule(string(p))
	if err != nil {
		return err
	}
	return r.check(agents)
}

// A rule is a policy that counts verdicts, taken apart.
type rule struct {
	name    Policy // All, Any, Majority, or empty: quorum
	quorum  int
	weights []weight // those that are not 1, by name
	veto    []AgentName
	finish  bool // the rest is left to finish
}

// A weight is what the verdict of an agent counts.
type weight struct {
	agent AgentName
	n     int
}

func parseRule(text string) (rule, error) {
	var r rule
	if len(text) > maxPolicy {
		return r, fmt.Errorf("a policy has %d bytes at most", maxPolicy)
	}
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 {
		return r, errors.New("the policy is empty: write all, any, majority or quorum:N")
	}
	seen := map[string]bool{}
	for _, word := range words {
		key, value, _ := strings.Cut(word, ":")
		kind := key
		switch Policy(word) {
		case All, Any, Majority:
			kind, r.name = "rule", Policy(word)
		}
		if key == "quorum" {
			kind = "rule"
		}
		if seen[kind] {
			return r, fmt.Errorf("the policy %q says twice what decides: %q", Cut(text, 60), Cut(word, 60))
		}
		seen[kind] = true
		var err error
		switch {
		case r.name == Policy(word):
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
			err = errors.New("write all, any, majority or quorum:N, and after it weights:AGENT=N, veto:AGENT, rest:finish where needed")
		}
		switch {
		case err != nil && len(words) == 1:
			return r, fmt.Errorf("%q is no policy: %w", Cut(word, 60), err)
		case err != nil:
			return r, fmt.Errorf("the policy %q is not understood at %q: %w", Cut(text, 60), Cut(word, 60), err)
		}
	}
	if !seen["rule"] {
		return r, fmt.Errorf("the policy %q does not say what decides: write all, any, majority or quorum:N first", Cut(text, 60))
	}
	return r, nil
}

func count(text string, from, to int) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < from || n > to || strconv.Itoa(n) != text {
		return 0, fmt.Errorf("%q is no number from %d to %d", Cut(text, 20), from, to)
	}
	return n, nil
}

func parseWeights(list string) ([]weight, error) {
	var weights []weight
	seen := map[AgentName]bool{}
	for part := range strings.SplitSeq(list, ",") {
		name, value, _ := strings.Cut(part, "=")
		n, err := count(value, 1, maxWeight)
		switch {
		case err != nil:
			return nil, err
		case name == "" || seen[AgentName(name)]:
			return nil, fmt.Errorf("an agent is named once: %q", Cut(part, 40))
		}
		seen[AgentName(name)] = true
		if n != 1 {
			weights = append(weights, weight{AgentName(name), n})
		}
	}
	slices.SortFunc(weights, func(a, b weight) int { return strings.Compare(string(a.agent), string(b.agent)) })
	return weights, nil
}

func parseNames(list string) ([]AgentName, error) {
	var names []AgentName
	for name := range strings.SplitSeq(list, ",") {
		if name == "" || strings.Contains(name, "=") {
			return nil, errors.New("the name of an agent is missing")
		}
		names = append(names, AgentName(name))
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// String is the one form of a rule.
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
		words = append(words, "veto:"+strings.Join(Strings(r.veto), ","))
	}
	if r.finish {
		words = append(words, "rest:finish")
	}
	return strings.Join(words, " ")
}

// check says why a rule does not fit agents.
func (r rule) check(agents []AgentName) error {
	if len(agents) == 0 {
		return errors.New("nobody is asked")
	}
	named := slices.Clone(r.veto)
	for _, w := range r.weights {
		named = append(named, w.agent)
	}
	for _, name := range named {
		if !slices.Contains(agents, name) {
			return fmt.Errorf("the policy names %s, who is not asked; asked are %s", Cut(string(name), 40), strings.Join(Strings(agents), ", "))
		}
	}
	if whole := r.whole(agents); r.quorum > whole {
		return fmt.Errorf("a quorum of %d cannot be reached: all that are asked count %d together", r.quorum, whole)
	}
	return nil
}

func (r rule) weight(agent AgentName) int {
	for _, w := range r.weights {
		if w.agent == agent {
			return w.n
		}
	}
	return 1
}

func (r rule) whole(agents []AgentName) int {
	n := 0
	for _, a := range agents {
		n += r.weight(a)
	}
	return n
}

// needs are the counts that make a yes and a no. Together they are more than the whole,
// so that there is never both.
func (r rule) needs(whole int) (yes, no int) {
	switch r.name {
	case All:
		return whole, 1
	case Any:
		return 1, whole
	case Majority:
		return whole/2 + 1, whole/2 + 1
	}
	return r.quorum, whole - r.quorum + 1
}
