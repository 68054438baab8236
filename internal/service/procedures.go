package service

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"errand"
	"errand/internal/limit"
	"errand/internal/rights"
	"errand/internal/store"
)

// ProcedureNames are those of the procedures that an actor may start, in their order.
func (s *Service) ProcedureNames(by Actor) []string {
	var names []string
	for _, p := range s.Procedures {
		if s.knows(by, p.Agents...) && (p.Then == nil || s.knows(by, p.Then.Agents...)) && (p.Else == nil || s.knows(by, p.Else.Agents...)) {
			names = append(names, p.Name)
		}
	}
	return names
}

// planProcedure returns the task of a procedure with text filled in. It finds only procedures
// whose agents by may all use.
func (s *Service) planProcedure(by Actor, name, text string) (store.NewTask, error) {
	names := s.ProcedureNames(by)
	i := slices.IndexFunc(s.Procedures, func(p errand.Procedure) bool { return p.Name == name && slices.Contains(names, name) })
	if i < 0 {
		return store.NewTask{}, Invalid("procedure", "refusal.procedure", "procedure", strconv.Quote(errand.Cut(name, 40)), "procedures", strings.Join(names, ", "))
	}
	needsWords := strings.Contains(s.Procedures[i].Task, errand.ProcedureText)
	if needsWords && strings.TrimSpace(text) == "" {
		return store.NewTask{}, Invalid("empty", "team.procedure_words", "procedure", name)
	}
	if text != "" || needsWords {
		var err error
		if text, err = CleanText(text, s.MessageBytes); err != nil {
			return store.NewTask{}, err
		}
	}
	p := s.Procedures[i].For(text)
	agents, err := s.delegates(by, p.Agents)
	if err != nil {
		return store.NewTask{}, err
	}
	n := store.NewTask{Agents: agents, Text: p.Task}
	d := Decides{Deadline: p.Deadline, Policy: string(p.Policy), Then: p.Then, Else: p.Else}
	if p.Policy.CountsVerdicts() {
		d.Expect = ExpectDecision
	}
	return n, s.decide(by, d, &n)
}

// AskProcedure gives the agents of a procedure its task, beside a conversation, whose
// messages go with it. What comes of it is told there, in their own voices. The same
// message asks once.
func (s *Service) AskProcedure(ctx context.Context, by Actor, in TeamRequest, name string) (errand.Task, error) {
	if err := s.may(by, rights.TasksDelegate); err != nil {
		return errand.Task{}, err
	}
	m := in.Message
	key := m.Session()
	if err := s.changes(by, key); err != nil {
		return errand.Task{}, err
	}
	if err := s.MayAskTeam(by); err != nil {
		return errand.Task{}, err
	}
	n, err := s.planProcedure(by, name, in.Text)
	if err != nil {
		return errand.Task{}, err
	}
	n.Request = strings.Join([]string{m.Route.Channel, m.Route.Account, string(key), m.MessageID, name}, " ")
	there, err := s.Store.RequestedTasks(ctx, []string{n.Request})
	if err != nil {
		return errand.Task{}, err
	}
	lead, err := s.readActiveAgent(ctx, key)
	if err != nil {
		return errand.Task{}, err
	}
	var tokens limit.Tokens
	if len(there) == 0 {
		if err := s.allowTeam(ctx, by, lead, 1, n.Agents, &tokens); err != nil {
			return errand.Task{}, err
		}
	}
	origin, err := s.teamOrigin(ctx, by, m)
	if err == nil {
		n.Briefing = s.briefing(ctx, by, origin.Session, lead, in, TeamTarget{Last: s.Team.withDefaults().Messages})
		var task errand.Task
		if task, err = s.create(ctx, origin, n, ""); err == nil {
			return task, nil
		}
	}
	s.limiter.Refund(&tokens)
	return errand.Task{}, err
}
