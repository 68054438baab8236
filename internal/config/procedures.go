package config

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"errand"
	"errand/internal/agents"
)

var procedureName = regexp.MustCompile(agents.NamePattern)

// procedures checks the named delegations. Their agents must be in the roster.
func (l *loader) procedures() {
	for _, name := range l.names(at("procedures")) {
		p := at("procedures", name)
		switch {
		case !procedureName.MatchString(name):
			l.fault(p, "want a name of a small letter and up to 30 more small letters, digits, _ or -")
		case l.isAgent(name):
			l.fault(p, "an agent has this name: choose another, so that it is clear who is meant")
		case !l.has(p):
			l.fault(p, "is empty: want agents and task")
		default:
			l.cfg.Procedures = append(l.cfg.Procedures, l.procedure(p, name, l.file.Procedures[name]))
		}
	}
}

func (l *loader) procedure(where path, name string, f procedureFile) errand.Procedure {
	b := l.branch(where, f.branchFile)
	p := errand.Procedure{Name: name, Agents: b.Agents, Task: b.Task, Deadline: f.Deadline}
	if f.Then != nil {
		p.Then = l.branch(where.at("then"), *f.Then)
	}
	if f.Else != nil {
		p.Else = l.branch(where.at("else"), *f.Else)
	}
	decides := f.Expect == "decision" || f.Policy != "" || p.Then != nil || p.Else != nil
	switch {
	case decides && f.Expect == "report":
		l.fault(where.at("expect"), "policy, then and else need a decision: write decision, or leave it out")
	case decides:
		parsed, err := errand.ParsePolicy(cmp.Or(f.Policy, string(errand.Majority)))
		if err == nil && len(p.Agents) > 0 {
			err = parsed.Check(p.Agents)
		}
		if err != nil {
			l.fault(where.at("policy"), "%v", err)
		}
		p.Policy = parsed
	}
	return p
}

func (l *loader) branch(where path, f branchFile) *errand.Branch {
	b := errand.Branch{Task: strings.TrimSpace(f.Task)}
	for i, name := range f.Agents {
		switch {
		case !l.isAgent(name) && l.cfg.Roster != nil:
			l.fault(where.at("agents", i), "there is no agent %q%s", name, hint(name, errand.Strings(l.cfg.Roster.Names())))
		case slices.Contains(b.Agents, errand.AgentName(name)):
			l.fault(where.at("agents", i), "%s is named twice", name)
		}
		b.Agents = append(b.Agents, errand.AgentName(name))
	}
	if len(f.Agents) == 0 {
		l.fault(where.at("agents"), "is missing: name the agents that get the task")
	}
	if b.Task == "" {
		l.fault(where.at("task"), "is missing: write the task, with %s where the words of the person go", errand.ProcedureText)
	}
	return &b
}

func (l *loader) isAgent(name string) bool {
	if l.cfg.Roster == nil {
		return false // its faults have been told
	}
	_, ok := l.cfg.Roster.Agent(errand.AgentName(name))
	return ok
}
