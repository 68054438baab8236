package config

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/decision"
)

var procedureName = regexp.MustCompile(agents.NamePattern)

// procedures checks the named delegations. Their agents must be in the roster.
func (l *loader) procedures() {
	for _, name := range l.names(at("procedures")) {
		p := at("procedures", name)
		switch {
		case !procedureName.MatchString(name):
			l.fault(p, "the name must begin with a small letter and have at most 31 small letters, digits, _ and -")
		case l.isAgent(name):
			l.fault(p, "an agent has this name: choose another")
		case !l.has(p):
			l.fault(p, "is empty: set agents and task")
		default:
			l.cfg.Procedures = append(l.cfg.Procedures, l.procedure(p, name, l.file.Procedures[name]))
		}
	}
}

func (l *loader) procedure(where path, name string, f procedureFile) core.Procedure {
	b := l.branch(where, f.branchFile)
	p := core.Procedure{Name: name, Agents: b.Agents, Task: b.Task, Deadline: f.Deadline}
	if f.Then != nil {
		p.Then = l.branch(where.at("then"), *f.Then)
	}
	if f.Else != nil {
		p.Else = l.branch(where.at("else"), *f.Else)
	}
	decides := f.Expect == "decision" || f.Policy != "" || p.Then != nil || p.Else != nil
	switch {
	case decides && f.Expect == "report":
		l.fault(where.at("expect"), "policy, then and else need a decision: write decision, or leave expect out")
	case decides:
		parsed, err := decision.ParsePolicy(cmp.Or(f.Policy, string(core.Majority)))
		if err == nil && len(p.Agents) > 0 {
			err = decision.Check(parsed, p.Agents)
		}
		if err != nil {
			l.fault(where.at("policy"), "%v", err)
		}
		p.Policy = parsed
	}
	return p
}

func (l *loader) branch(where path, f branchFile) *core.Branch {
	b := core.Branch{Task: strings.TrimSpace(f.Task)}
	for i, name := range f.Agents {
		switch {
		case !l.isAgent(name) && l.cfg.Roster != nil:
			l.fault(where.at("agents", i), "there is no agent %q%s", name, hint(name, core.Strings(l.cfg.Roster.Names())))
		case slices.Contains(b.Agents, core.AgentName(name)):
			l.fault(where.at("agents", i), "%s is listed twice", name)
		}
		b.Agents = append(b.Agents, core.AgentName(name))
	}
	if len(f.Agents) == 0 {
		l.fault(where.at("agents"), "is missing: list the agents that get the task")
	}
	if b.Task == "" {
		l.fault(where.at("task"), "is missing: write the task, with %s in place of the person's words", core.ProcedureText)
	}
	return &b
}

func (l *loader) isAgent(name string) bool {
	if l.cfg.Roster == nil {
		return false // its errors were already reported
	}
	_, ok := l.cfg.Roster.Agent(core.AgentName(name))
	return ok
}
