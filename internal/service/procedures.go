package service

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/core"
	"errand/internal/limit"
	"errand/internal/store"
)

func (ts *Teams) listProcedures(_ context.Context, by actor.Actor, _ api.None) ([]string, error) {
	if err := ts.mayUseTeam(by); err != nil {
		return nil, err
	}
	return ts.tasks.procedureNames(by), nil
}

// procedureNames returns the procedures that an actor may start, in their order.
func (t *Tasks) procedureNames(by actor.Actor) []string {
	var names []string
	for _, p := range t.Procedures {
		needed := slices.Clone(p.Agents)
		for _, b := range []*core.Branch{p.Then, p.Else} {
			if b != nil {
				needed = append(needed, b.Agents...)
			}
		}
		if t.agents.has(by, needed...) {
			names = append(names, p.Name)
		}
	}
	return names
}

// planProcedure returns the task of a procedure with text filled in. It finds only procedures
// whose agents by may all use.
func (t *Tasks) planProcedure(by actor.Actor, name, text string) (store.NewTask, error) {
	names := t.procedureNames(by)
	i := slices.IndexFunc(t.Procedures, func(p core.Procedure) bool { return p.Name == name && slices.Contains(names, name) })
	if i < 0 {
		return store.NewTask{}, Invalid("procedure", "refusal.procedure",
			"procedure", strconv.Quote(core.Cut(name, 40)), "procedures", strings.Join(names, ", "))
	}
	needsWords := strings.Contains(t.Procedures[i].Task, core.ProcedureText)
	if needsWords && strings.TrimSpace(text) == "" {
		return store.NewTask{}, Invalid("empty", "team.procedure_words", "procedure", name)
	}
	if text != "" || needsWords {
		var err error
		if text, err = CleanText(text, t.MessageBytes); err != nil {
			return store.NewTask{}, err
		}
	}
	p := t.Procedures[i].For(text)
	agents, err := t.delegates(by, p.Agents)
	if err != nil {
		return store.NewTask{}, err
	}
	n := store.NewTask{Agents: agents, Text: p.Task}
	d := api.NewTask{Deadline: int(p.Deadline / time.Second), Policy: string(p.Policy), Then: p.Then, Else: p.Else}
	if p.Policy.CountsVerdicts() {
		d.Expect = api.ExpectDecision
	}
	return n, t.decide(by, d, &n)
}

func (ts *Teams) askProcedure(ctx context.Context, by actor.Actor, in api.AskProcedureInput) (task core.Task, err error) {
	if err := ts.mayAsk(by, in.Key); err != nil {
		return task, err
	}
	n, err := ts.tasks.planProcedure(by, in.Name, in.Text)
	if err != nil {
		return task, err
	}
	n.Request = requestOf(in.TeamRequest, in.Name)
	there, err := ts.Store.RequestedTasks(ctx, []string{n.Request})
	if err != nil {
		return task, err
	}
	c := teamCall{TeamRequest: in.TeamRequest, by: by}
	if c.lead, err = ts.agents.activeIn(ctx, in.Key); err != nil {
		return task, err
	}
	var tokens limit.Tokens
	if len(there) == 0 {
		if err := ts.admit(ctx, c, 1, n.Agents, &tokens); err != nil {
			return task, err
		}
	}
	origin, err := ts.origin(ctx, c)
	if err == nil {
		n.Briefing = ts.briefing(ctx, c, origin.Session, api.TeamTarget{Last: ts.limits.Messages})
		task, err = ts.tasks.create(ctx, origin, n, "")
	}
	if err != nil {
		ts.limiter.Refund(&tokens)
	}
	return task, err
}
