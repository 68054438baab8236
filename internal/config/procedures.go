package config

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"errand"
	"errand/internal/agents"
)

var procedureName = regexp.MustCompile(agents.NamePattern)

// procedures reads the delegations that have names. Who is named in one is of the roster.
func (l *loader) procedures(root *mapping) {
	section := root.section("procedures")
	if section == nil {
		return
	}
	for _, name := range section.names {
		line := section.lineOf(name)
		n := section.get(name)
		switch {
		case !procedureName.MatchString(name):
			section.fault(line, name, "a name is a small letter, and up to 30 small letters, digits, _ or - behind it")
			continue
		case l.isAgent(name):
			section.fault(line, name, "an agent has this name: choose another, so that it is clear who is meant")
			continue
		}
		if n == nil {
			section.fault(line, name, "is empty: want agents and task")
			continue
		}
		if m := newMapping(section.doc, fmt.Sprintf("procedure %q: ", name), "", line, n); m != nil {
			l.cfg.Procedures = append(l.cfg.Procedures, l.procedure(m, name))
		}
	}
}

func (l *loader) procedure(m *mapping, name string) errand.Procedure {
	p := errand.Procedure{Name: name}
	b := l.branch(m)
	p.Agents, p.Task = b.Agents, b.Task
	m.duration("deadline", &p.Deadline, time.Minute)
	if p.Deadline > 90*day {
		m.fault(m.lineOf("deadline"), "deadline", "is more than 90 days")
	}
	if next := m.section("then"); next != nil {
		p.Then = l.branch(next)
		next.done()
	}
	if next := m.section("else"); next != nil {
		p.Else = l.branch(next)
		next.done()
	}
	var expect, policy string
	choice(m, "expect", &expect, "report", "decision")
	m.text("policy", &policy)
	m.done()
	decides := expect == "decision" || policy != "" || p.Then != nil || p.Else != nil
	switch {
	case decides && expect == "report":
		m.fault(m.lineOf("expect"), "expect", "policy, then and else need a decision: write decision, or leave it out")
	case decides:
		parsed, err := errand.ParsePolicy(cmp.Or(policy, string(errand.Majority)))
		if err == nil && len(p.Agents) > 0 {
			err = parsed.Check(p.Agents)
		}
		if err != nil {
			m.fault(m.lineOf("policy"), "policy", "%v", err)
		}
		p.Policy = parsed
	}
	return p
}

func (l *loader) branch(m *mapping) *errand.Branch {
	var b errand.Branch
	names, lines := m.texts("agents")
	for i, n := range names {
		switch {
		case !l.isAgent(n) && l.cfg.Roster != nil:
			m.fault(lines[i], "agents", "there is no agent %q%s", n, didYouMean(n, errand.Strings(l.cfg.Roster.Names())))
		case slices.Contains(b.Agents, errand.AgentName(n)):
			m.fault(lines[i], "agents", "%s is named twice", n)
		}
		b.Agents = append(b.Agents, errand.AgentName(n))
	}
	if len(names) == 0 {
		m.fault(m.lineOf("agents"), "agents", "is missing: name those that are to be asked")
	}
	if m.text("task", &b.Task); strings.TrimSpace(b.Task) == "" {
		m.fault(m.lineOf("task"), "task", "is missing: say what is to be done, with %s where the words of whoever asks go", errand.ProcedureText)
	}
	b.Task = strings.TrimSpace(b.Task)
	return &b
}

func (l *loader) isAgent(name string) bool {
	if l.cfg.Roster == nil {
		return false // its faults have been told
	}
	_, ok := l.cfg.Roster.Agent(errand.AgentName(name))
	return ok
}
