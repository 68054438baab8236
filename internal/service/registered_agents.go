package service

import (
	"context"
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"errand/api"
	"errand/internal/actor"
	"errand/internal/agents"
	"errand/internal/core"
	"errand/internal/ops"
	"errand/internal/store"
	"errand/internal/temporal/dispatch"
)

const (
	maxAbout  = 200       // characters of the description of a registered agent
	maxAnswer = 256 << 10 // bytes of an answer
)

const houseName core.AgentName = "errand"

var agentName = regexp.MustCompile(agents.NamePattern)

// RegisteredAgents has the operations on programs that are registered as agents.
type RegisteredAgents struct {
	*Env
	dispatch *dispatch.Dispatcher
	roster   *agents.Roster
}

func (a *RegisteredAgents) bind(r *ops.Runner) {
	ops.Bind(r, api.RegisterAgent, a.register)
	ops.Bind(r, api.ListRegisteredAgents, a.list)
	ops.Bind(r, api.NextRequest, a.next)
	ops.Bind(r, api.AnswerRequest, a.answer)
}

func (a *RegisteredAgents) register(ctx context.Context, by actor.Actor, in api.RegisterAgentInput) (core.AgentName, error) {
	name := core.AgentName(strings.ToLower(strings.TrimSpace(string(in.Name))))
	if !agentName.MatchString(string(name)) {
		return "", Invalid("name", "refusal.agent_name", "name", strconv.Quote(core.Cut(string(name), 40)))
	}
	if _, known := a.roster.Agent(name); known || name == houseName {
		return "", conflict("name", "refusal.agent_taken", "name", string(name))
	}
	about, err := CleanText(in.Description, maxAnswer)
	if err != nil {
		return "", err
	}
	about = core.Cut(strings.Join(strings.Fields(about), " "), maxAbout)
	if err := a.Store.RegisterAgent(ctx, by.Person, name, about); err != nil {
		return "", err
	}
	a.Logger.Info("agent registered", "agent", name)
	return name, nil
}

func (a *RegisteredAgents) list(ctx context.Context, by actor.Actor, _ api.None) ([]core.RegisteredAgent, error) {
	return a.Store.RegisteredAgents(ctx, by.Person)
}

func (a *RegisteredAgents) next(ctx context.Context, by actor.Actor, in api.NextRequestInput) (*api.AgentRequest, error) {
	name := core.AgentName(strings.ToLower(strings.TrimSpace(string(in.Name))))
	changed, cancel := a.Store.Bus().SubscribeLists(by.Person)
	defer cancel()
	end := time.NewTimer(in.AtMost)
	defer end.Stop()
	for last := in.AtMost <= 0; ; {
		next, err := a.Store.NextRequest(ctx, by.Person, name)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil, Refuse(KindNotFound, "not_registered", "refusal.not_registered", "name", strconv.Quote(core.Cut(string(name), 40)))
		case next != nil:
			return &api.AgentRequest{ID: core.SubAgentOwner(next.ID, name), Task: *next}, nil
		case err != nil || last:
			return nil, err
		}
		select {
		case <-changed:
		case <-blind(a.Store.Bus(), 2*time.Second):
		case <-end.C:
			last = true
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (a *RegisteredAgents) answer(ctx context.Context, by actor.Actor, in api.AnswerRequestInput) (core.TaskID, error) {
	id, agent, ok := core.Owner(strings.TrimSpace(in.Request)).Task()
	if !ok {
		return "", noRequest(in.Request)
	}
	answer := core.PeerTask{State: core.Completed}
	text, err := CleanText(in.Text, maxAnswer)
	if err != nil {
		return "", err
	}
	if answer.Text = text; in.Failed {
		answer.State = core.Failed
	}
	switch err = a.Store.AnswerRequest(ctx, by.Person, id, agent, answer); {
	case errors.Is(err, store.ErrNotFound):
		return id, noRequest(in.Request)
	case errors.Is(err, store.ErrClosed):
		return id, conflict("canceled", "refusal.request_over", "request", core.Cut(in.Request, 80))
	case errors.Is(err, store.ErrAnswered):
		return id, conflict("answered", "refusal.request_answered", "request", core.Cut(in.Request, 80))
	case err != nil:
		return id, err
	}
	if err := a.dispatch.HastenPeer(ctx, id, agent); err != nil {
		a.Logger.Info("answer stored, but its task not signaled; the task reads it within a minute", "task", id, "agent", agent, "error", err)
	}
	return id, nil
}

func noRequest(id string) error {
	return Refuse(KindNotFound, "not_found", "refusal.no_request", "request", strconv.Quote(core.Cut(id, 80)))
}

func (t *Tasks) registered(ctx context.Context, by actor.Actor, name core.AgentName) error {
	known, err := t.Store.IsRegistered(ctx, by.Person, name)
	if err == nil && !known {
		err = t.unknownAgent(by, name)
	}
	return err
}
